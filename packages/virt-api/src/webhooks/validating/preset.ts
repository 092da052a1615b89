import type { VirtualMachineInstancePreset } from '@kubevirt-ts/api'
import { required, when } from './cause.ts'
import type { KindRule } from './of-kind.ts'

const domain: KindRule<VirtualMachineInstancePreset> = ({ object: { spec } }) =>
  when(spec?.domain === undefined, () => required('spec.domain', 'missing domain.'))

export const presetRules = [domain]
