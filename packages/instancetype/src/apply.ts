import type { TemplateMeta, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import type { Instancetype, Preference } from './find.ts'
import { applyInstancetype } from './instancetype/index.ts'
import { applyPreference } from './preference/index.ts'

/** What instance types and preferences are applied to: the template of a VM. */
export interface Subject {
  readonly metadata?: TemplateMeta
  readonly spec: VirtualMachineInstanceSpec
}

/** The guest that they make, or the fields of the template that the instance type sets too. */
export type Applied =
  | { readonly metadata: TemplateMeta; readonly spec: VirtualMachineInstanceSpec; readonly conflicts?: undefined }
  | { readonly conflicts: readonly string[] }

/**
 * Applies both to a copy of the subject. A field that the instance type sets and the template sets too is a conflict,
 * named as `spec.template.spec.domain.cpu.sockets`; a preference only fills what is unset after that.
 */
export function applyTo(
  subject: Subject,
  { instancetype, preference }: { readonly instancetype?: Instancetype; readonly preference?: Preference },
): Applied {
  const draft = structuredClone({ metadata: subject.metadata ?? {}, spec: subject.spec })
  if (instancetype !== undefined) {
    const conflicts = applyInstancetype(draft, instancetype.spec, preference?.spec)
    if (conflicts.length > 0) return { conflicts }
  }
  if (preference !== undefined) applyPreference(draft, preference.spec)
  return draft
}
