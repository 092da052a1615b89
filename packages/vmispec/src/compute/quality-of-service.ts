import { compareQuantity } from '@kubevirt-ts/api'
import type { Quantity, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

/** Whether the guest's processors are its own. */
export function hasDedicatedCpus(spec: VirtualMachineInstanceSpec): boolean {
  return spec.domain.cpu?.dedicatedCpuPlacement === true
}

/**
 * Whether the guest is meant to get what it asks for and no more: requests equal limits for CPU and memory. A limit
 * alone is no request; defaulting makes one of a limit for CPU, but not for memory.
 */
export function isGuaranteed(spec: VirtualMachineInstanceSpec): boolean {
  const { requests, limits } = spec.domain.resources ?? {}
  return areEqual(requests?.cpu, limits?.cpu) && areEqual(requests?.memory, limits?.memory)
}

function areEqual(request: Quantity | undefined, limit: Quantity | undefined): boolean {
  return (
    request !== undefined &&
    limit !== undefined &&
    compareQuantity(limit, 0) > 0 &&
    compareQuantity(request, limit) === 0
  )
}
