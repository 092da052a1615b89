import { annotation } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { howItEnded, isFinished, isReadyForHandOver, isTerminating } from '../pod-state.ts'
import { isAttached } from './attach.ts'
import { handedOver, isFinal, isInDoubt, isOccupied } from './seen.ts'
import type { Seen } from './seen.ts'
import { utilityVolumesLeft, utilityVolumesOverdue } from './utility-volumes.ts'

export interface PhaseVerdict {
  readonly phase: string
  /** Why the migration failed, for people. */
  readonly failure?: string
  /** Milliseconds after which time alone may change the verdict. */
  readonly requeueAfter?: number
}

/** The phase that follows from what is seen; one step at a time, so that each is told. */
export function nextPhase(seen: Seen): PhaseVerdict {
  const phase = seen.migration.status?.phase ?? ''
  if (isFinal(seen.migration)) return { phase }
  if (hasSucceeded(seen)) return { phase: 'Succeeded' }
  const failure = failureOf(seen, phase)
  if (failure !== undefined) return { phase: 'Failed', failure }
  const requeueAfter = timeLeft(seen) ?? utilityVolumesLeft(seen)
  return { phase: step(seen, phase), ...(requeueAfter === undefined ? {} : { requeueAfter }) }
}

function step(seen: Seen, phase: string): string {
  const { targetPod } = seen
  const state = handedOver(seen)
  switch (phase) {
    case '':
      return 'Pending'
    case 'Pending':
      return targetPod === undefined || !isAttached(seen) ? phase : 'Scheduling'
    case 'Scheduling':
      return targetPod !== undefined && isReadyForHandOver(targetPod) ? 'Scheduled' : phase
    case 'Scheduled':
      return state?.targetNode === undefined ? phase : 'PreparingTarget'
    case 'PreparingTarget':
      return state?.targetNodeAddress === undefined ? phase : 'TargetReady'
    case 'TargetReady':
      return state?.startTimestamp === undefined ? phase : 'Running'
    default:
      return phase
  }
}

/** Changes of the guest that ride on the migration must be through, too. */
const pendingChanges: readonly (readonly [string, string])[] = [
  ['HotVCPUChange', 'True'],
  ['HotMemoryChange', 'True'],
  ['MigrationRequired', 'True'],
]

function hasSucceeded(seen: Seen): boolean {
  const state = handedOver(seen)
  if (state?.completed !== true || state.failed === true) return false
  const conditions = seen.vmi?.status?.conditions ?? []
  return !pendingChanges.some(([type, status]) =>
    conditions.some((each) => each.type === type && each.status === status),
  )
}

const beforeTarget: ReadonlySet<string> = new Set(['', 'Pending'])

function failureOf(seen: Seen, phase: string): string | undefined {
  const { migration, vmi, targetPod, podSettled } = seen
  const state = handedOver(seen)
  if (leavesCluster(migration)) return betweenClusters
  if (vmi === undefined || isOver(vmi)) return 'the guest ended before it was moved'
  if (state?.failed === true) return state.failureReason ?? 'the node agents report that the migration failed'
  if (state?.completed === true || isInDoubt(seen)) return undefined
  // Until its target is ready nobody else works on the guest.
  if (migration.metadata.deletionTimestamp !== undefined && state?.targetNodeAddress === undefined)
    return 'cancelled before its target was ready'
  if (seen.rival !== undefined || (phase === '' && isOccupied(seen))) {
    return 'another migration of the guest is under way'
  }
  if (['PreparingTarget', 'TargetReady', 'Running'].includes(phase) && state === undefined) {
    return 'another migration of the guest took its place'
  }
  if (targetPod !== undefined && isFinished(targetPod)) return howItEnded(targetPod)
  if (targetPod !== undefined && isTerminating(targetPod)) return `target pod ${targetPod.metadata.name} was deleted`
  if (targetPod === undefined && podSettled && !beforeTarget.has(phase)) return 'the target pod vanished'
  if (utilityVolumesLeft(seen) === 0) return utilityVolumesOverdue(seen)
  return timeLeft(seen) === 0 ? overdue(seen) : undefined
}

/** A guest that is sent to another cluster must not be moved within its own instead. */
export const betweenClusters =
  'guests are not moved between clusters, as kubevirt-ts has no synchronization controller yet; the guest stays where it is, and to move it within its cluster ask without sendTo and receive'

export const leavesCluster = ({ spec }: VirtualMachineInstanceMigration): boolean =>
  spec.sendTo !== undefined || spec.receive !== undefined

function isOver({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

function overdue(seen: Seen): string {
  const pod = waitingPod(seen)
  const refusal = pod?.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  const why = refusal?.message === undefined ? '' : `: ${refusal.message}`
  return `target pod ${pod?.metadata.name} did not start in time${why}`
}

const limits = {
  unschedulable: [annotation.migrationUnschedulablePodTimeoutSeconds, 300],
  pending: [annotation.migrationPendingPodTimeoutSeconds, 900],
} as const

/** The pod on the way to the target that does not run yet. */
function waitingPod({ targetPod, attachments }: Seen): Pod | undefined {
  if (targetPod === undefined) return undefined
  return [targetPod, ...attachments].find(({ status }) => (status?.phase ?? 'Pending') === 'Pending')
}

/** Milliseconds that a pod which waits may go on to wait; undefined where none does. */
function timeLeft(seen: Seen): number | undefined {
  const { migration, now } = seen
  const pod = waitingPod(seen)
  if (pod === undefined) return undefined
  const [key, seconds] = isUnschedulable(pod) ? limits.unschedulable : limits.pending
  const asked = Number(migration.metadata.annotations?.[key])
  const limit = (Number.isFinite(asked) && asked > 0 ? asked : seconds) * 1000
  const age = now.getTime() - (Date.parse(pod.metadata.creationTimestamp ?? '') || now.getTime())
  return Math.max(0, limit - age)
}

export function isUnschedulable({ status }: Pod): boolean {
  return (
    status?.conditions?.some(
      (each) => each.type === 'PodScheduled' && each.status === 'False' && each.reason === 'Unschedulable',
    ) ?? false
  )
}
