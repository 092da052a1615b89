import { parseQuantity } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

/** Bytes of memory that the guest sees, or nothing when the spec does not say: guest, else request, else limit, else huge page. */
export function guestMemory(spec: VirtualMachineInstanceSpec): bigint | undefined {
  const { memory, resources } = spec.domain
  const quantity =
    memory?.guest ?? resources?.requests?.memory ?? resources?.limits?.memory ?? memory?.hugepages?.pageSize
  return quantity === undefined ? undefined : parseQuantity(quantity)
}
