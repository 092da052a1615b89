import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { canonicalQuantities } from './quantities.ts'
import { dropZeroValues } from './zero-values.ts'

/**
 * A spec in the one form that all specs of the same meaning share, to be compared and not to be stored: values that say
 * nothing are gone, amounts are written alike. Programs in Go write each spec that they read in such a form, with
 * `resources: {}` for none, and virt-api's webhook each that is changed; so two forms of it are no change. `given` stays.
 */
export function normalForm(given: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const spec = structuredClone(given)
  spec.domain ??= { devices: {} }
  spec.domain.devices ??= {}
  dropZeroValues(spec)
  canonicalQuantities(spec)
  return withoutEmpty(spec) as VirtualMachineInstanceSpec
}

/** Maps and structures that say nothing when they are empty; most others, such as `rng` and `masquerade`, are a choice. */
const emptyIsNone: ReadonlySet<string> = new Set(
  'resources requests limits nodeSelector cpu memory firmware machine features'.split(' '),
)

/** A copy without empty lists, and empty parts of the names above. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const copied = Object.entries(value).map(([key, item]) => [key, withoutEmpty(item)] as const)
  return Object.fromEntries(copied.filter(([key, item]) => !isNone(key, item)))
}

function isNone(key: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return emptyIsNone.has(key) && typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
