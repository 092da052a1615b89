import type { InstancetypeMatcher, PreferenceMatcher, VirtualMachine } from '@kubevirt-ts/api'
import type { Admission } from '../admitter.ts'
import { notFound, notSupported, when } from '../validating/cause.ts'
import type { Cause } from '../validating/cause.ts'

/** What is wrong with how a VM names its instance type and preference; undefined when nothing is. */
export function matcherRefusal(vm: VirtualMachine): Admission | undefined {
  const { instancetype, preference } = vm.spec
  const causes = [...matcherCauses(instancetype, 'spec.instancetype'), ...matcherCauses(preference, 'spec.preference')]
  return causes.length > 0 ? { causes } : undefined
}

function matcherCauses(matcher: InstancetypeMatcher | PreferenceMatcher | undefined, field: string): Cause[] {
  if (!matcher) return []
  const { name, kind, inferFromVolume } = matcher
  return [
    ...when(!name && !inferFromVolume, () =>
      notFound(field, `Either Name or InferFromVolume should be provided within the ${field.slice(5)} matcher`),
    ),
    ...when(Boolean(name && inferFromVolume), () =>
      notSupported(`${field}.name`, 'Name should not be provided when InferFromVolume is used; keep one of them'),
    ),
    ...when(Boolean(kind && inferFromVolume), () =>
      notSupported(`${field}.kind`, 'Kind should not be provided when InferFromVolume is used; keep one of them'),
    ),
  ]
}
