import { notSupported } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** Gates of features that are gone, with what makes a VMI use them. */
const discontinuedGates: readonly (readonly [gate: string, used: (spec: Parameters<Rule>[0]['spec']) => boolean])[] = [
  ['Passt', (spec) => (spec.domain.devices.interfaces ?? []).some(({ passt }) => passt)],
  ['Macvtap', (spec) => (spec.domain.devices.interfaces ?? []).some(({ macvtap }) => macvtap)],
]

export const discontinuedFeatures: Rule = ({ spec, settings }) =>
  discontinuedGates
    .filter(([gate, used]) => settings.configuration.developerConfiguration?.featureGates?.includes(gate) && used(spec))
    .map(([gate]) =>
      notSupported('', `${gate} feature gate is discontinued; remove it and use a network binding plugin`),
    )
