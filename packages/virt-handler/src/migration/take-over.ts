import { label, type VirtualMachineInstance, vmiCondition, withoutMigrationDoubt } from '@kubevirt-ts/api'
import { removeCondition } from '@kubevirt-ts/controller'
import type { Domain } from '@kubevirt-ts/domain'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Guest } from '../launcher-clients/guest.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { podUidOn } from '../vm/pod-on-node.ts'
import { NotReadyYet } from '../vm/update.ts'
import { writeStatus } from '../vm/write-status.ts'
import type { MigrationDeps } from './deps.ts'
import { carryOutChanges } from './pending-changes.ts'
import { progressToTell, withProgress } from './progress.ts'
import { isTarget, underWay } from './role.ts'
import { timestamp, withState } from './state.ts'

const inPart: ReadonlySet<string> = new Set(['Postcopy', 'PostcopyFailed'])

/** The guest's processors run here, all of its memory too: from here on this node answers for it. */
export function hasArrived({ status }: Domain): boolean {
  if (status.status === 'Paused') return status.reason === 'User'
  return status.status === 'Running' && !inPart.has(status.reason)
}

/** The launcher that waits for the guest; throws `NotReadyYet` while there is none. */
export async function launcherOf(vmi: VirtualMachineInstance, guest: Guest, deps: MigrationDeps): Promise<Launcher> {
  const { launchers, node, podsFolder } = deps
  const podUid = podUidOn(node, vmi, launchers, podsFolder)
  if (podUid === undefined) throw new NotReadyYet('the target pod is not known on this node yet')
  const launcher = await launchers.connect(guest, podUid)
  if (launcher === undefined) throw new NotReadyYet('the launcher is not ready yet')
  return launcher
}

/** The guest runs here: its VMI is this node's from now on. What it was told of once is not done again. */
export async function takeOver(vmi: VirtualMachineInstance, guest: Guest, deps: MigrationDeps): Promise<void> {
  const { node, client, events, launchers, log, taken } = deps
  const { migrationUid = '' } = underWay(vmi) ?? {}
  if (taken.get(guest.uid) === migrationUid) return
  const launcher = launchers.get(guest.uid)
  await launcher?.cmd
    .finalizeVirtualMachineMigration({ vmi: encodeVmi(vmi) })
    .then(succeeded)
    .catch((error: unknown) => log.warn({ ...guest, error }, 'a guest that arrived was not put right'))
  await launchers.refresh(guest.uid)
  const progress = progressToTell(vmi, deps.domains.get(guest.uid)?.spec.metadata?.kubevirt?.migration, deps.now())
  const changed = launcher === undefined ? unchanged : await carryOutChanges(vmi, launcher, deps)
  const at = timestamp(deps.now())
  const written = await writeStatus(client, vmi, (fresh) => {
    if (!isTarget(fresh, node)) return fresh
    const moved = withState(withProgress(changed(fresh), progress), {
      targetNodeDomainDetected: true,
      targetNodeDomainReadyTimestamp: at,
      endTimestamp: at,
      completed: true,
    })
    const { [label.migrationTargetNodeName]: _target, ...labels } = moved.metadata.labels ?? {}
    const { evacuationNodeName: _evacuated, migratedVolumes, ...status } = moved.status ?? {}
    const done = migratedVolumes === undefined ? status : { ...status, conditions: withoutVolumesChange(status) }
    return {
      ...moved,
      // Whoever asked where it is has the answer: until then no other move of it may begin.
      metadata: { ...withoutMigrationDoubt(moved.metadata), labels: { ...labels, [label.nodeName]: node } },
      status: { ...done, nodeName: node },
    }
  })
  if (written?.status?.nodeName !== node) return
  taken.set(guest.uid, migrationUid)
  events.event(written, 'Normal', 'Migrated', `The VirtualMachineInstance migrated to node ${node}.`)
}

/** The content of its volumes came along. */
const withoutVolumesChange = ({ conditions }: NonNullable<VirtualMachineInstance['status']>) => [
  ...removeCondition(conditions, vmiCondition.volumesChange),
]

const unchanged = (vmi: VirtualMachineInstance): VirtualMachineInstance => vmi
