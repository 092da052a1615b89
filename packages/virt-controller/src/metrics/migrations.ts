import type { VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { secondsOf } from './family.ts'
import type { Family } from './family.ts'

/** When each migration began and ended, under KubeVirt's names. */
export const migrationFamilies: readonly Family<VirtualMachineInstanceMigration>[] = [
  {
    name: 'kubevirt_vmi_migration_start_time_seconds',
    help: 'When the nodes began to move a guest.',
    labels: ['node', 'namespace', 'name', 'migration_name'],
    of: (migration) => at(migration, migration.status?.migrationState?.startTimestamp, {}),
  },
  {
    name: 'kubevirt_vmi_migration_end_time_seconds',
    help: 'When a migration of a guest ended, and how.',
    labels: ['node', 'namespace', 'name', 'migration_name', 'status'],
    of: (migration) => {
      const status = migration.status?.phase?.toLowerCase() ?? ''
      return at(migration, migration.status?.migrationState?.endTimestamp, { status })
    },
  },
]

function at(
  { metadata, spec, status }: VirtualMachineInstanceMigration,
  time: string | undefined,
  more: Record<string, string>,
): [Record<string, string>, number][] {
  const seconds = secondsOf(time)
  if (seconds === undefined) return []
  const labels = {
    node: status?.migrationState?.sourceNode ?? '',
    namespace: metadata.namespace ?? '',
    name: spec.vmiName ?? '',
    migration_name: metadata.name,
    ...more,
  }
  return [[labels, seconds]]
}
