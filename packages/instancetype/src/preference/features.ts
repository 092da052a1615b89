import type { DomainSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'
import { fill } from '../draft.ts'

/** Features of the machine; of Hyper-V's interfaces each one by itself. */
export function applyFeatures(domain: DomainSpec, { features }: VirtualMachinePreferenceSpec): void {
  if (features === undefined) return
  const own = { ...domain.features }
  fill(own, {
    acpi: features.preferredAcpi,
    apic: features.preferredApic,
    kvm: features.preferredKvm,
    pvspinlock: features.preferredPvspinlock,
    smm: features.preferredSmm,
  })
  if (features.preferredHyperv !== undefined) {
    const hyperv = { ...own.hyperv }
    fill(hyperv, features.preferredHyperv)
    own.hyperv = hyperv
  }
  domain.features = own
}
