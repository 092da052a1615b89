import type { VirtualMachineInstanceReplicaSet } from '@kubevirt-ts/api'
import { invalid, required, when } from './cause.ts'
import type { Cause } from './cause.ts'

/** A set has a template, and its selector finds what is made from it. */
export function validateReplicaSet({ spec }: VirtualMachineInstanceReplicaSet): Cause[] {
  if (!spec?.template) return [required('spec.template', 'missing virtual machine template.')]
  const labels = spec.template.metadata?.labels ?? {}
  const mismatch = Object.entries(spec.selector?.matchLabels ?? {}).some(([key, value]) => labels[key] !== value)
  return when(mismatch, () =>
    invalid(
      'spec.selector',
      'selector does not match labels. Give the labels of spec.selector to spec.template.metadata',
    ),
  )
}
