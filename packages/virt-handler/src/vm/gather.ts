import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { type Guest, vmiKey } from '../launcher-clients/guest.ts'
import { isHeld } from '../migration/held.ts'
import { isLeaving, isTarget } from '../migration/role.ts'
import type { VmDeps } from './deps.ts'
import type { Progress } from './progress.ts'
import type { Seen } from './seen.ts'
import { freshest } from './write-status.ts'

/** What is known about a guest now. Undefined: its VMI belongs to another node, or the guest is on its way. */
export async function gather(guest: Guest, progress: Progress, deps: VmDeps): Promise<Seen | undefined> {
  const { launchers, domains, node } = deps
  const vmi = newer(fromInformer(guest, deps), progress.written) ?? (await unlabelled(guest, deps))
  const elsewhere = vmi?.status?.nodeName !== undefined && vmi.status.nodeName !== node
  if (vmi !== undefined && (isTarget(vmi, node) || isLeaving(vmi, node))) return undefined
  if (elsewhere && !launchers.knows(guest.uid)) return undefined
  // Whether it runs at its target is not known; until it is nobody may touch it.
  if (!elsewhere && vmi !== undefined && launchers.state(guest.uid) === 'up' && isHeld(domains.get(guest.uid)))
    return undefined
  return {
    guest,
    ...(elsewhere ? { moved: true } : { vmi }),
    domain: domains.get(guest.uid),
    domainKnown: domains.knows(guest.uid),
    launcher: launchers.state(guest.uid),
    known: launchers.knows(guest.uid),
  }
}

function fromInformer(guest: Guest, { vmis }: VmDeps): VirtualMachineInstance | undefined {
  const vmi = vmis.get(vmiKey(guest))
  return vmi?.metadata.uid === guest.uid ? vmi : undefined
}

/**
 * A VMI that is missing here may only have lost its label. Its guest is ended if it is really gone, so ask once more.
 */
async function unlabelled(guest: Guest, { client, launchers }: VmDeps): Promise<VirtualMachineInstance | undefined> {
  if (!launchers.knows(guest.uid)) return undefined
  return freshest(client, { metadata: guest })
}

/** The informer is behind after a write of ours; it is also what tells that the VMI is gone. */
function newer(
  seen: VirtualMachineInstance | undefined,
  written: VirtualMachineInstance | undefined,
): VirtualMachineInstance | undefined {
  if (seen === undefined || written === undefined) return seen
  return version(written) > version(seen) ? written : seen
}

const version = ({ metadata }: VirtualMachineInstance): bigint => BigInt(metadata.resourceVersion ?? '0')
