import type { PodDisruptionBudget } from '@kubevirt-ts/api'
import { labelMatcher, type PodInfo } from '@kubevirt-ts/scheduling'

/** Splits pods into those whose end would break a disruption budget and the others; budgets are used up in order. */
export function budgetViolations(
  candidates: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = budgets.map((budget) => ({
    namespace: budget.metadata.namespace,
    selector: labelMatcher(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }))
  const violating: PodInfo[] = []
  const others: PodInfo[] = []
  for (const candidate of candidates) {
    const { namespace, labels = {} } = candidate.pod.metadata
    const matching = left.filter(
      (budget) =>
        budget.namespace === namespace &&
        Object.keys(labels).length > 0 &&
        !budget.selector.isEmpty &&
        budget.selector.matches(labels),
    )
    for (const budget of matching) budget.allowed -= 1
    if (matching.some(({ allowed }) => allowed < 0)) violating.push(candidate)
    else others.push(candidate)
  }
  return { violating, others }
}
