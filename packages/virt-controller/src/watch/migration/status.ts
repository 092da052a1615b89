import { migrationCondition, virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceMigrationStatus } from '@kubevirt-ts/api'
import { removeCondition, setCondition } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { isSameJson } from '../same.ts'
import type { Deps } from './deps.ts'
import { betweenClusters, isUnschedulable, leavesCluster } from './phase.ts'
import type { PhaseVerdict } from './phase.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { handedOver } from './seen.ts'
import type { Seen } from './seen.ts'
import { withUtilityVolumes } from './utility-volumes.ts'

/** The migration's status after this pass. What the agents report is copied with each new phase. */
export function statusOf(
  seen: Seen,
  { phase }: PhaseVerdict,
  problem: Problem | undefined,
): VirtualMachineInstanceMigrationStatus {
  const { status, metadata } = seen.migration
  const conditions = conditionsOf(seen, problem, metadata.deletionTimestamp !== undefined)
  const { conditions: _before, ...kept } = status ?? {}
  const shown = conditions.length === 0 ? {} : { conditions: [...conditions] }
  if (phase === (status?.phase ?? '')) return { ...kept, ...shown }
  const stamp = { phase, phaseTransitionTimestamp: `${seen.now.toISOString().slice(0, 19)}Z` }
  const migrationState = handedOver(seen)
  return {
    ...kept,
    phase,
    phaseTransitionTimestamps: [...(status?.phaseTransitionTimestamps ?? []), stamp],
    ...(migrationState === undefined ? {} : { migrationState }),
    ...shown,
  }
}

const unserved = {
  type: migrationCondition.decentralizedBlocked,
  status: 'True',
  reason: 'NoSynchronizationController',
  message: betweenClusters,
} as const

function conditionsOf(seen: Seen, problem: Problem | undefined, isAborted: boolean) {
  const { migration, now } = seen
  const aborted = { type: 'migrationAbortRequested', status: 'True', reason: 'AbortRequested' } as const
  const refused = 'migrationRejectedByResourceQuota'
  const known = withUtilityVolumes(migration.status?.conditions ?? [], seen)
  const placed = leavesCluster(migration) ? setCondition(known, unserved, now) : known
  const before = isAborted ? setCondition(placed, aborted, now) : placed
  if (problem?.isQuota !== true) return removeCondition(before, refused)
  return setCondition(before, { type: refused, status: 'True', reason: problem.reason, message: problem.message }, now)
}

/** Writes the status where it changed, and tells of the end of a migration. */
export async function writeStatus(
  seen: Seen,
  verdict: PhaseVerdict,
  problem: Problem | undefined,
  deps: Deps,
): Promise<void> {
  const { migration, targetPod } = seen
  if (targetPod !== undefined && isUnschedulable(targetPod) && verdict.phase === 'Scheduling') {
    const text = `Migration target pod ${targetPod.metadata.name} finds no node yet`
    deps.events.event(migration, 'Warning', reason.targetPodUnschedulable, text)
  }
  const status = statusOf(seen, verdict, problem)
  if (isSameJson(status, migration.status)) return
  try {
    const body = { ...migration, status }
    const written = await deps.client.update(virtualMachineInstanceMigrations, body, { subresource: 'status' })
    deps.ownWrites.note(migration, written)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  if (verdict.phase === migration.status?.phase) return
  if (verdict.phase === 'Succeeded') {
    deps.events.event(migration, 'Normal', reason.successfulMigration, 'Source node reported migration succeeded')
  }
  if (verdict.phase !== 'Failed') return
  const isAbort = migration.metadata.deletionTimestamp !== undefined
  const why = isAbort ? reason.successfulAbort : reason.failedMigration
  deps.events.event(migration, isAbort ? 'Normal' : 'Warning', why, `Migration ended: ${verdict.failure}`)
}
