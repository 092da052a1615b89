import type { LabelSelector, ResourceQuota } from '@kubevirt-ts/api'
import type { Launch } from './launch.ts'

const ratioLabel = 'alpha.kubevirt.io/auto-memory-limits-ratio'
const defaultRatio = 2

/** Whether CPU limits are added: the namespace has a quota for them, or the cluster's selector names it. */
export function autoCpuLimit({ context }: Launch): boolean {
  const { autoCPULimitNamespaceLabelSelector: selector } = context.configuration
  if (selector !== undefined && matches(selector, context.namespaceLabels)) return true
  return hasQuota(context.resourceQuotas, 'limits.cpu')
}

/** The ratio of memory limit to request where the namespace's quota asks for limits. */
export function autoMemoryLimitRatio({ context }: Launch): number | undefined {
  if (!hasQuota(context.resourceQuotas, 'limits.memory')) return undefined
  const ratio = Number(context.namespaceLabels[ratioLabel])
  return Number.isFinite(ratio) && ratio >= 1 ? ratio : defaultRatio
}

function hasQuota(quotas: readonly ResourceQuota[], resource: string): boolean {
  return quotas.some(({ spec }) => spec?.hard?.[resource] !== undefined)
}

function matches(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const exact = Object.entries(matchLabels).every(([key, value]) => labels[key] === value)
  return exact && matchExpressions.every((expression) => holds(expression, labels))
}

function holds(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] },
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key]
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  const listed = value !== undefined && values.includes(value)
  return operator === 'In' ? listed : !listed
}
