import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { existsSync } from 'node:fs'
import { emptyDirPath } from '../host/isolation/pod-folder.ts'
import { hasEnded } from '../launcher-clients/domain-cache.ts'
import { type Guest, vmiKey } from '../launcher-clients/guest.ts'
import { isHeld } from '../migration/held.ts'
import { isLeaving, isTarget } from '../migration/role.ts'
import { isMarkedForShutdown } from './decide.ts'
import type { VmDeps } from './deps.ts'
import { type EarlyStart, trustMs } from './early-start/early-starts.ts'
import type { Progress } from './progress.ts'
import type { Seen } from './seen.ts'
import { freshest } from './write-status.ts'

/** What is known about a guest now. Undefined: its VMI belongs to another node, or the guest is on its way. */
export async function gather(guest: Guest, progress: Progress, deps: VmDeps): Promise<Seen | undefined> {
  const { launchers, domains, node } = deps
  const handedOver = newer(fromInformer(guest, deps), progress.written)
  if (handedOver !== undefined) deps.earlyStarts.drop(guest.uid)
  const vmi = handedOver ?? (await unlabelled(guest, deps))
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
    podUid: launchers.podUid(guest.uid),
    known: launchers.knows(guest.uid),
    early: deps.earlyStarts.get(guest.uid) !== undefined,
  }
}

function fromInformer(guest: Guest, { vmis }: VmDeps): VirtualMachineInstance | undefined {
  const vmi = vmis.get(vmiKey(guest))
  return vmi?.metadata.uid === guest.uid ? vmi : undefined
}

/**
 * A VMI that is missing here may not be handed over yet, or may only have lost its label. Its guest is ended if it is
 * really gone, so ask once more, unless it was asked for lately and nothing has happened since.
 */
async function unlabelled(guest: Guest, deps: VmDeps): Promise<VirtualMachineInstance | undefined> {
  const { client, launchers, earlyStarts } = deps
  const start = earlyStarts.get(guest.uid)
  if (start !== undefined && goesOn(start, guest, deps)) return start.vmi
  earlyStarts.drop(guest.uid)
  if (!launchers.knows(guest.uid)) return undefined
  const vmi = await freshest(client, { metadata: guest })
  const podUid = launchers.podUid(guest.uid)
  if (vmi !== undefined && podUid !== undefined) earlyStarts.begin(vmi, podUid)
  return vmi
}

/** Nobody tells this node that a VMI without its label was deleted or has failed, but its pod's end shows. */
function goesOn({ podUid, sinceMs }: EarlyStart, { uid }: Guest, deps: VmDeps): boolean {
  const { launchers, domains, podsFolder, now } = deps
  const domain = domains.get(uid)
  const isEnding = domain !== undefined && (hasEnded(domain) || isMarkedForShutdown(domain))
  const hasPod = existsSync(emptyDirPath(podsFolder, podUid, 'sockets'))
  return launchers.state(uid) !== 'dead' && !isEnding && hasPod && now() - sinceMs < trustMs
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
