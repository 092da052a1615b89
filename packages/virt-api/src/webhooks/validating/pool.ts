import { isDeepStrictEqual } from 'node:util'
import type { VirtualMachine, VirtualMachinePool } from '@kubevirt-ts/api'
import { matchesSelector } from '@kubevirt-ts/controller/label-selector'
import { invalid, required, when } from './cause.ts'
import type { Cause } from './cause.ts'
import type { KindRule } from './of-kind.ts'
import { validateVm } from './vm/validate.ts'

type Rule = KindRule<VirtualMachinePool>

const templateField = 'spec.virtualMachineTemplate'

/** The template is judged as the VM that is made of it. */
const template: Rule = ({ object: { spec }, settings }) => {
  const given = spec.virtualMachineTemplate?.spec
  if (!given) return [required(templateField, 'missing virtual machine template.')]
  const vm = { metadata: { name: '' }, spec: given } as VirtualMachine
  const below = (cause: Cause): Cause => ({ ...cause, field: cause.field && `${templateField}.${cause.field}` })
  return validateVm(vm, settings, false).map(below)
}

const selector: Rule = ({ object: { spec } }) =>
  when(!matchesSelector(spec.virtualMachineTemplate?.metadata?.labels ?? {}, spec.selector ?? {}), () =>
    invalid('spec.selector', `selector does not match labels. Give its labels to ${templateField}.metadata`),
  )

const fixedSelector: Rule = ({ object, old }) =>
  when(old !== undefined && !isDeepStrictEqual(old.spec.selector, object.spec.selector), () =>
    invalid('spec.selector', 'selector is immutable after creation.'),
  )

const maxUnavailable: Rule = ({ object: { spec } }) => {
  const field = 'spec.maxUnavailable'
  const value = spec.maxUnavailable
  if (value === undefined) return []
  if (typeof value === 'number') {
    return when(value <= 0, () => invalid(field, `maxUnavailable must be greater than 0; it is ${value}`))
  }
  const [, percent] = /^(\d+)%$/.exec(value) ?? []
  const share = Number(percent)
  return when(percent === undefined || share < 1 || share > 100, () =>
    invalid(field, `maxUnavailable must be a number greater than 0, or 1% to 100%; it is ${value}`),
  )
}

const oneStrategy =
  (name: 'updateStrategy' | 'scaleInStrategy'): Rule =>
  ({ object: { spec } }) => {
    const given = Object.keys(spec[name] ?? {})
    return when(given.length > 1, () =>
      invalid(`spec.${name}`, `only one strategy can be chosen; keep one of ${given.join(', ')}`),
    )
  }

export const poolRules: readonly Rule[] = [
  template,
  selector,
  fixedSelector,
  maxUnavailable,
  oneStrategy('updateStrategy'),
  oneStrategy('scaleInStrategy'),
]
