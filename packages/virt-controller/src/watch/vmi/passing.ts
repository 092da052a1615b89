import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { isSameJson } from '../same.ts'

type Conditions = NonNullable<VirtualMachineInstance['status']>['conditions']

/** A pod whose images are there runs soon after it was made; one that does not is told to be Scheduling. */
const startMs = 300
const conditionMs = 5000

/**
 * Milliseconds for which what is to be told may stay untold, because another write will carry it in a moment; 0 where
 * it is to be told at once.
 */
export function passingMs(seen: VirtualMachineInstance, described: VirtualMachineInstance): number {
  if (isStarting(seen, described)) return startMs
  return isConditionPassing(seen, described) ? conditionMs : 0
}

/** That there is a pod is told with the hand-over, if that comes at once. */
function isStarting(seen: VirtualMachineInstance, { metadata, status }: VirtualMachineInstance): boolean {
  const isRefused = status?.conditions?.some(({ type }) => type === 'PodScheduled') ?? false
  return (
    seen.status?.phase === 'Pending' &&
    status?.phase === 'Scheduling' &&
    metadata.deletionTimestamp === undefined &&
    !isRefused
  )
}

/**
 * Whether all that is to be told are conditions: of a deleted VMI, whose guest is ending; or that a guest which runs is
 * not ready for another reason than before, which is the way to being ready.
 */
function isConditionPassing(seen: VirtualMachineInstance, described: VirtualMachineInstance): boolean {
  const [before, after] = [seen.status?.conditions, described.status?.conditions]
  if (isSameJson(before, after)) return false
  if (!isSameJson(seen, { ...described, status: { ...described.status, conditions: before } })) return false
  if (seen.metadata.deletionTimestamp !== undefined) return true
  return isStillUnready(before, after)
}

function isStillUnready(before: Conditions, after: Conditions): boolean {
  const others = (conditions: Conditions) => (conditions ?? []).filter(({ type }) => type !== 'Ready')
  const isUnready = (conditions: Conditions) =>
    conditions?.some(({ type, status }) => type === 'Ready' && status === 'False') ?? false
  return isUnready(before) && isUnready(after) && isSameJson(others(before), others(after))
}
