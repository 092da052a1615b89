import type { LabelSelector } from '@kubevirt-ts/api'

/** Whether labels are what the selector asks for; an empty selector asks for nothing. */
export function matchesSelector(
  labels: Readonly<Record<string, string>>,
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
) {
  const equal = Object.entries(matchLabels).every(([key, value]) => labels[key] === value)
  return (
    equal &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      const among = value !== undefined && values.includes(value)
      return operator === 'In' ? among : !among
    })
  )
}
