import type { StorageMigratedVolumeInfo, VirtualMachineCondition, VolumeUpdateState } from '@kubevirt-ts/api'
import { removeCondition, setCondition } from '@kubevirt-ts/controller'
import { isAlive, isFinal } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { claimOf } from './update.ts'

type View = Pick<Seen, 'vm' | 'vmi'>

/**
 * Volumes whose content is on its way to other claims, or was when the guest ended. Where it is then nobody knows, so
 * that is remembered until the template names the claims from which they came.
 */
export function volumeUpdateState(seen: View): VolumeUpdateState | undefined {
  const { vm, vmi } = seen
  const ofGuest = vmi?.status?.migratedVolumes ?? []
  if (ofGuest.length > 0 && isAlive(vmi)) return { volumeMigrationState: { migratedVolumes: ofGuest } }
  if (isAlive(vmi)) return undefined
  const known =
    ofGuest.length > 0 ? ofGuest : (vm.status?.volumeUpdateState?.volumeMigrationState?.migratedVolumes ?? [])
  if (known.every((each) => isBack(each, seen))) return undefined
  return { volumeMigrationState: { migratedVolumes: known } }
}

function isBack({ volumeName, sourcePVCInfo }: StorageMigratedVolumeInfo, { vm }: View): boolean {
  return claimOf(vm.spec.template.spec?.volumes ?? [], volumeName) === sourcePVCInfo?.claimName
}

const type = 'ManualRecoveryRequired'

/** A guest that ended while its volumes were moved is not started from claims that may be half full. */
export function withRecovery(
  conditions: readonly VirtualMachineCondition[],
  seen: Pick<Seen, 'vm' | 'vmi' | 'now'>,
): readonly VirtualMachineCondition[] {
  const moved = volumeUpdateState(seen)?.volumeMigrationState?.migratedVolumes
  const isOver = seen.vmi === undefined || isFinal(seen.vmi)
  // One that somebody set for a reason of their own is theirs to take away.
  const wasOurs = seen.vm.status?.volumeUpdateState !== undefined
  if (moved === undefined) return wasOurs ? removeCondition(conditions, type) : conditions
  if (!isOver) return conditions
  const back = moved.map(({ volumeName, sourcePVCInfo }) => `${volumeName} to ${sourcePVCInfo?.claimName}`).join(', ')
  const message = `the guest ended while volumes were moved to other claims, which may be half full: set volume ${back} in spec.template.spec.volumes`
  return setCondition(conditions, { type, status: 'True', reason: 'VolumeMigrationInterrupted', message }, seen.now)
}
