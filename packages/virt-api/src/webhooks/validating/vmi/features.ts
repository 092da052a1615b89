import { hypervRequirements } from '../../mutating/defaults/features.ts'
import { invalid, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** What a feature lacks has a doubled path in the original, and clients match on it. */
export const hyperv: Rule = ({ spec: { domain }, field }) => {
  const path = `${field}.domain.features.hyperv`
  const given = domain.features?.hyperv
  if (!given) return []
  if (domain.features?.hypervPassthrough?.enabled) {
    return [
      invalid(path, 'Cannot explicitly set hyperV features if HypervPassthrough is being used; remove one of them'),
    ]
  }
  return hypervRequirements.flatMap(([feature, needs]) =>
    when(given[feature]?.enabled === true && given[needs]?.enabled === false, () =>
      invalid(`${path}.domain.features.hyperv.${feature}`, `'${feature}' requires '${needs}', which was disabled.`),
    ),
  )
}
