import type { LabelSelector, LabelSelectorRequirement } from '@kubevirt-ts/api'

type Labels = Readonly<Record<string, string>>

/** Whether the labels are selected. An absent or empty selector selects nothing: a set of all objects is never meant. */
export function isSelected(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  const requirements = requirementsOf(selector)
  return requirements.length > 0 && requirements.every((requirement) => holds(requirement, labels))
}

/** The selector in the words of a query, as autoscalers read it from a status: `app=web,tier in (a,b),!old`. */
export function selectorText(selector: LabelSelector | undefined): string {
  return requirementsOf(selector)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(textOf)
    .join(',')
}

interface Requirement extends LabelSelectorRequirement {
  readonly values: string[]
}

function requirementsOf(selector: LabelSelector | undefined): Requirement[] {
  const equal = Object.entries(selector?.matchLabels ?? {})
  return [
    ...equal.map(([key, value]) => ({ key, operator: '=', values: [value] })),
    ...(selector?.matchExpressions ?? []).map((each) => ({ ...each, values: each.values ?? [] })),
  ]
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels[key]
  switch (operator) {
    case '=':
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}

function textOf({ key, operator, values }: Requirement): string {
  const list = `(${values.toSorted().join(',')})`
  if (operator === '=') return `${key}=${values[0]}`
  if (operator === 'Exists') return key
  if (operator === 'DoesNotExist') return `!${key}`
  return `${key} ${operator === 'In' ? 'in' : 'notin'} ${list}`
}
