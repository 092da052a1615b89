import type { VirtualMachineInstance } from '@kubevirt-ts/api'

/** Whether a guest's clock depends on the frequency of the processor's time stamp counter: to boot at all, or only to move. */
export function tscNeed({ spec }: VirtualMachineInstance): 'boot' | 'migration' | 'none' {
  const invariant = spec.domain.cpu?.features?.find(({ name }) => name === 'invtsc')
  if (invariant !== undefined && (invariant.policy ?? 'require') === 'require') return 'boot'
  const reenlightenment = spec.domain.features?.hyperv?.reenlightenment
  return reenlightenment !== undefined && reenlightenment.enabled !== false ? 'migration' : 'none'
}
