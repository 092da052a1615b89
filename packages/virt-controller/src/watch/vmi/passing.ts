import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { isSameJson } from '../same.ts'

type Conditions = NonNullable<VirtualMachineInstance['status']>['conditions']

/** Milliseconds for which such conditions may stay untold. */
export const passingMs = 5000

/**
 * Whether all that is to be told are conditions that another write will carry in a moment: of a deleted VMI, whose guest
 * is ending; or that a guest which runs is not ready for another reason than before, which is the way to being ready.
 */
export function isPassing(seen: VirtualMachineInstance, described: VirtualMachineInstance): boolean {
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
