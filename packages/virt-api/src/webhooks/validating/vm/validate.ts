import type { VirtualMachine, VirtualMachineInstanceTemplateSpec } from '@kubevirt-ts/api'
import { setDefaults } from '../../mutating/defaults/index.ts'
import type { Referenced } from '../../referenced.ts'
import type { Settings } from '../../settings.ts'
import { required } from '../cause.ts'
import type { Cause } from '../cause.ts'
import type { Rule, Subject } from '../rule.ts'
import { specRules } from '../vmi/index.ts'
import { specWarnings } from '../vmi/warnings.ts'
import { dataVolumeTemplates } from './data-volume-templates.ts'
import { instancetypeConflicts } from './instancetype.ts'
import { memoryGrows } from './live-update.ts'
import { preferenceRequirements } from './preference.ts'
import { runStrategy } from './run-strategy.ts'

const templateRules: readonly Rule[] = [...specRules, memoryGrows]

/** What is wrong with a VM; empty when it is admitted. The template is judged with its defaults filled in. */
export function validateVm(
  vm: VirtualMachine,
  settings: Settings,
  byKubeVirt: boolean,
  referenced: Referenced = {},
): Cause[] {
  if (!vm.spec.template?.spec) return [required('spec.template', 'missing virtual machine template.')]
  const conflicts = instancetypeConflicts(vm.spec.template.spec, referenced.instancetype)
  if (conflicts.length > 0) return conflicts
  const subject = templateSubject(vm, settings, byKubeVirt)
  const unmet = preferenceRequirements(subject.spec, referenced)
  if (unmet.length > 0) return unmet
  return [...templateRules.flatMap((rule) => rule(subject)), ...runStrategy(vm, settings), ...dataVolumeTemplates(vm)]
}

/** The template of a VM, or of anything that makes VMIs, with its defaults filled in. */
export function templateSubject(
  { spec: { template } }: { readonly spec: { readonly template: VirtualMachineInstanceTemplateSpec } },
  settings: Settings,
  byKubeVirt: boolean,
): Subject {
  const { metadata = {}, spec } = structuredClone(template)
  const memory = structuredClone(spec!.domain?.memory)
  setDefaults({ spec: spec! }, settings, () => '')
  // What a running guest may grow to is the user's word here, not the default's.
  if (memory?.maxGuest === undefined) delete spec!.domain.memory?.maxGuest
  return {
    spec: spec!,
    field: 'spec.template.spec',
    metadata,
    metadataField: 'spec.template.metadata',
    settings,
    byKubeVirt,
  }
}

/** What is admitted but better written otherwise. */
export function vmWarnings({ spec }: VirtualMachine, referenced: Referenced): string[] {
  const guest = spec.template?.spec
  const missing = (['instancetype', 'preference'] as const)
    .filter((what) => spec[what]?.name && !referenced[what])
    .map((what) => `spec.${what}: there is no ${what} ${spec[what]!.name} yet; the VM can not start before there is`)
  return [
    ...(spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.']),
    ...missing,
    ...(guest?.domain?.devices ? specWarnings(guest, 'spec.template.spec') : []),
  ]
}
