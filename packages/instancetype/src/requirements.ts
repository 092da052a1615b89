import { compareQuantity } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'

/**
 * What the preference requires and the guest, with everything applied, does not have; each in words that name both
 * amounts. Empty where all is met.
 */
export function unmetRequirements(
  { domain, architecture }: VirtualMachineInstanceSpec,
  { requirements }: VirtualMachinePreferenceSpec,
): string[] {
  const { cpu, memory, architecture: needed } = requirements ?? {}
  const { sockets = 1, cores = 1, threads = 1 } = domain.cpu ?? {}
  const processors = (sockets || 1) * (cores || 1) * (threads || 1)
  const guest = domain.memory?.guest ?? domain.resources?.requests?.['memory'] ?? 0
  return [
    ...(cpu !== undefined && processors < cpu.guest
      ? [`the preference requires ${cpu.guest} vCPUs, the guest has ${processors}`]
      : []),
    ...(memory !== undefined && compareQuantity(guest, memory.guest) < 0
      ? [`the preference requires ${memory.guest} of memory, the guest has ${guest}`]
      : []),
    ...(needed !== undefined && architecture !== undefined && architecture !== needed
      ? [`the preference requires architecture ${needed}, the guest has ${architecture}`]
      : []),
  ]
}
