/** What all condition types of Kubernetes and KubeVirt share. */
export interface ConditionShape {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string | null
  readonly lastProbeTime?: string | null
}

export interface ConditionInput {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
}

/**
 * The conditions with this one added or replaced. `lastTransitionTime` only moves when the status does; the same array
 * comes back when nothing changes, so that callers can compare.
 */
export function setCondition<C extends ConditionShape>(
  conditions: readonly C[] | undefined,
  condition: ConditionInput,
  now: Date,
): readonly C[] {
  const before = findCondition(conditions, condition.type)
  if (before !== undefined && isSame(before, condition)) return conditions ?? []
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime ? before.lastTransitionTime : rfc3339(now)
  const after = { ...condition, lastProbeTime: before?.lastProbeTime ?? null, lastTransitionTime } as unknown as C
  if (before === undefined) return [...(conditions ?? []), after]
  return (conditions ?? []).map((each) => (each === before ? after : each))
}

export function removeCondition<C extends ConditionShape>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  if (findCondition(conditions, type) === undefined) return conditions ?? []
  return (conditions ?? []).filter((condition) => condition.type !== type)
}

export function findCondition<C extends ConditionShape>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type)
}

export function isConditionTrue(conditions: readonly ConditionShape[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True'
}

function isSame(before: ConditionShape, condition: ConditionInput): boolean {
  return (
    before.status === condition.status &&
    (before.reason ?? '') === (condition.reason ?? '') &&
    (before.message ?? '') === (condition.message ?? '')
  )
}

/** Kubernetes' times have no fraction of a second. */
function rfc3339(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
