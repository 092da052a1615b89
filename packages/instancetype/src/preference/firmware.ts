import type { Bootloader, DomainSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'

/** How the guest boots, where the template does not say so itself. */
export function applyFirmware(domain: DomainSpec, { firmware }: VirtualMachinePreferenceSpec): void {
  if (firmware === undefined) return
  const own = domain.firmware?.bootloader ?? {}
  const bootloader = bootloaderOf(own, firmware)
  if (bootloader.bios === undefined && bootloader.efi === undefined) return
  domain.firmware = { ...domain.firmware, bootloader }
}

type Wishes = NonNullable<VirtualMachinePreferenceSpec['firmware']>

function bootloaderOf({ bios, efi }: Bootloader, wishes: Wishes): Bootloader {
  const isOpen = bios === undefined && efi === undefined
  if (bios !== undefined || (isOpen && wishes.preferredUseBios === true)) {
    const useSerial = bios?.useSerial ?? wishes.preferredUseBiosSerial
    return { bios: { ...bios, ...(useSerial === undefined ? {} : { useSerial }) } }
  }
  if (isOpen && wishes.preferredEfi !== undefined) return { efi: structuredClone(wishes.preferredEfi) }
  if (efi === undefined && wishes.preferredUseEfi !== true) return {}
  const secureBoot = efi?.secureBoot ?? wishes.preferredUseSecureBoot
  return { efi: { ...efi, ...(secureBoot === undefined ? {} : { secureBoot }) } }
}
