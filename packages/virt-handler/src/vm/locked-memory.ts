import type { KubeVirtConfiguration, VirtualMachineInstance } from '@kubevirt-ts/api'
import { parseQuantity } from '@kubevirt-ts/api'
import { guestMemory, memoryOverhead, usesVfio } from '@kubevirt-ts/vmispec'

/**
 * Bytes that the guest's processes must be able to lock, as its memory must not move: a device of the host writes to
 * it, it is encrypted, or time counts. Undefined for other guests.
 */
export function lockedMemory(
  { spec }: VirtualMachineInstance,
  configuration: KubeVirtConfiguration,
): bigint | undefined {
  const { domain } = spec
  const isRealtime = domain.cpu?.realtime !== undefined
  const isEncrypted = Boolean(domain.launchSecurity?.sev ?? domain.launchSecurity?.snp)
  if (!usesVfio(spec) && !isRealtime && !isEncrypted) return undefined
  const overhead = memoryOverhead(spec, {
    ...(configuration.additionalGuestMemoryOverheadRatio === undefined
      ? {}
      : { additionalRatio: configuration.additionalGuestMemoryOverheadRatio }),
    ...(configuration.network?.binding === undefined ? {} : { bindings: configuration.network.binding }),
  })
  // Memory that is plugged in later is locked too.
  const most = domain.memory?.maxGuest
  return (most === undefined ? (guestMemory(spec) ?? 0n) : parseQuantity(most)) + overhead
}
