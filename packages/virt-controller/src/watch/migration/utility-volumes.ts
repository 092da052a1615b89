import { annotation, migrationCondition } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceMigrationCondition } from '@kubevirt-ts/api'
import { findCondition, removeCondition, setCondition } from '@kubevirt-ts/controller'
import type { Seen } from './seen.ts'

const type = migrationCondition.blockedByUtilityVolumes
export const utilityVolumesPresent = 'UtilityVolumesPresent'
const defaultSeconds = 150

/** A guest does not move while it has volumes for a task of this node, such as a dump of its memory. */
export function isBlockedByUtilityVolumes({ migration, vmi, targetPod }: Seen): boolean {
  const isWaiting = ['', 'Pending'].includes(migration.status?.phase ?? '') && targetPod === undefined
  return isWaiting && (vmi?.spec.utilityVolumes ?? []).length > 0
}

/**
 * Milliseconds for which such a guest is still waited for, counted from when that was told first; undefined where nothing
 * is in the way.
 */
export function utilityVolumesLeft(seen: Seen): number | undefined {
  if (!isBlockedByUtilityVolumes(seen)) return undefined
  const { metadata, status } = seen.migration
  const asked = Number(metadata.annotations?.[annotation.migrationUtilityVolumesTimeoutSeconds])
  const limit = (Number.isFinite(asked) && asked > 0 ? asked : (seen.utilityVolumesTimeout ?? defaultSeconds)) * 1000
  const now = seen.now.getTime()
  const since = Date.parse(findCondition(status?.conditions, type)?.lastTransitionTime ?? '') || now
  return Math.max(0, limit - (now - since))
}

export const utilityVolumesOverdue = ({ vmi }: Seen): string =>
  `the guest still has the utility volumes ${(vmi?.spec.utilityVolumes ?? []).map(({ name }) => name).join(', ')}`

type Conditions = readonly VirtualMachineInstanceMigrationCondition[]

/** The migration's conditions with what is in its way, or without what no longer is. */
export function withUtilityVolumes(conditions: Conditions, seen: Seen): Conditions {
  if (!isBlockedByUtilityVolumes(seen)) return removeCondition(conditions, type)
  const message = `${utilityVolumesOverdue(seen)}; it moves once they are gone`
  return setCondition(conditions, { type, status: 'True', reason: utilityVolumesPresent, message }, seen.now)
}
