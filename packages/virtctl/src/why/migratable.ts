import { conditionOf, kubectl, sinceOf, virtctl } from './seen.ts'
import type { Seen } from './seen.ts'
import { blocking, notice, when } from './fact.ts'
import type { Fact } from './fact.ts'

/** Why a running guest can not move now, and what became of its last try. */
export function migrationFacts(seen: Seen): Fact[] {
  const { vmi } = seen
  if (vmi?.status?.phase !== 'Running') return []
  const movable = conditionOf(vmi, 'LiveMigratable')
  const [last] = seen.migrations
  const { phase } = last?.status ?? {}
  const failure = last?.status?.migrationState?.failureReason ?? vmi.status.migrationState?.failureReason
  const under = last && phase !== 'Succeeded' && phase !== 'Failed'
  const started = last?.metadata.creationTimestamp
  return [
    ...when(movable && movable.status !== 'True', () =>
      blocking(
        movable!.reason ?? 'NotMigratable',
        movable!.message ?? 'it can not move to another node while it runs',
        {
          ...sinceOf(movable),
          fix: virtctl(seen, `restart ${seen.name}`),
        },
      ),
    ),
    ...when(!movable, () => notice('Unknown', 'virt-handler has not said yet whether it can move')),
    ...when(under, () =>
      notice('Migrating', `a migration is under way (${last!.metadata.name}, ${phase || 'Pending'})`, {
        ...(started && { since: started }),
        fix: virtctl(seen, `migrate-cancel ${seen.name}`),
      }),
    ),
    ...when(phase === 'Failed', () =>
      notice('MigrationFailed', `its last migration failed${failure ? `: ${failure}` : ''} (${last!.metadata.name})`, {
        ...(started && { since: started }),
        fix: kubectl(seen, `describe vmim ${last!.metadata.name}`),
      }),
    ),
  ]
}
