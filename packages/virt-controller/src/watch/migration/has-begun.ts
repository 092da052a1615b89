import { label } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { keyFor } from '@kubevirt-ts/controller'
import type { Deps } from './deps.ts'

/**
 * Whether the migration holds one of the places that the limits give: its target pod was asked for, here or by an
 * earlier leader, whether its phase tells of that or not yet.
 */
export function hasBegun(
  migration: VirtualMachineInstanceMigration,
  deps: Pick<Deps, 'started' | 'vmis' | 'pods'>,
): boolean {
  const { metadata, status } = migration
  if (deps.started.has(metadata.uid ?? '') || !['', 'Pending'].includes(status?.phase ?? '')) return true
  return hasTarget(migration, deps)
}

function hasTarget(
  { metadata, spec }: VirtualMachineInstanceMigration,
  { vmis, pods }: Pick<Deps, 'vmis' | 'pods'>,
): boolean {
  const vmi = vmis.get(keyFor(metadata.namespace, spec.vmiName ?? ''))
  const own = vmi === undefined ? [] : pods.byIndex('byVmiUid', vmi.metadata.uid ?? '')
  return own.some((pod) => pod.metadata.labels?.[label.migrationJobUid] === metadata.uid)
}
