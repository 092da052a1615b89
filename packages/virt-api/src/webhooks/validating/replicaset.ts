import type { VirtualMachineInstanceReplicaSet } from '@kubevirt-ts/api'
import { matchesSelector } from '@kubevirt-ts/controller/label-selector'
import { invalid, required, when } from './cause.ts'
import type { KindRule } from './of-kind.ts'
import { templateSubject } from './vm/validate.ts'
import { specRules } from './vmi/index.ts'

type Rule = KindRule<VirtualMachineInstanceReplicaSet>

/** The template is judged as the VMIs that are made from it. */
const template: Rule = ({ object: { spec }, settings }) => {
  if (!spec?.template?.spec) return [required('spec.template', 'missing virtual machine template.')]
  const subject = templateSubject({ spec: { template: spec.template } }, settings, false)
  return specRules.flatMap((rule) => rule(subject))
}

/** A set finds what it makes. */
const selector: Rule = ({ object: { spec } }) =>
  when(!matchesSelector(spec?.template?.metadata?.labels ?? {}, spec?.selector ?? {}), () =>
    invalid(
      'spec.selector',
      'selector does not match labels. Give the labels of spec.selector to spec.template.metadata',
    ),
  )

export const replicaSetRules: readonly Rule[] = [template, selector]
