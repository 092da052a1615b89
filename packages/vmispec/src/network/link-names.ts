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

/**
 * `eth0` and `tap0` for the first interface; names with a hash of the network's name for the others.
 * @param podInterface the link's name where it is known: pods of old releases count their links, `net1`, `net2`
 */
export function linkNames(network: Network, podInterface?: string): LinkNames {
  const pod = podInterface || usualPodLink(network)
  const own = pod.replace(/^pod/, '')
  return { pod, renamedPod: `${own}-nic`, bridge: `k6t-${own}`, tap: `tap${pod.slice(3)}` }
}

function usualPodLink(network: Network): string {
  if (!isSecondaryMultus(network)) return 'eth0'
  return `pod${createHash('sha256').update(network.name).digest('hex').slice(0, 11)}`
}
