import { createHash } from 'node:crypto'
import type { Network } from '@kubevirt-ts/api'
import { isSecondaryMultus } from './interfaces.ts'

/** Names of the links in a launcher pod that belong to one network of the guest. */
export interface LinkNames {
  /** The interface that the pod got for the network. */
  readonly pod: string
  /** The same after a bridge took over its name. */
  readonly renamedPod: string
  readonly bridge: string
  readonly tap: string
}

/** `eth0` and `tap0` for the first interface; names with a hash of the network's name for the others. */
export function linkNames(network: Network): LinkNames {
  if (!isSecondaryMultus(network)) return { pod: 'eth0', renamedPod: 'eth0-nic', bridge: 'k6t-eth0', tap: 'tap0' }
  const hash = createHash('sha256').update(network.name).digest('hex').slice(0, 11)
  return { pod: `pod${hash}`, renamedPod: `${hash}-nic`, bridge: `k6t-${hash}`, tap: `tap${hash}` }
}
