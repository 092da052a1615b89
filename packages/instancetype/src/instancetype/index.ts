import type { VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'
import type { Draft } from '../draft.ts'
import { applyCpu } from './cpu.ts'
import { applyMemory } from './memory.ts'
import { applyPlain } from './plain.ts'

/** Sets what the instance type says; the answer names the fields that the template sets too. */
export function applyInstancetype(
  draft: Draft,
  instancetype: VirtualMachineInstancetypeSpec,
  preference: VirtualMachinePreferenceSpec | undefined,
): string[] {
  return [
    ...applyCpu(draft, instancetype, preference),
    ...applyMemory(draft, instancetype),
    ...applyPlain(draft, instancetype),
  ]
}
