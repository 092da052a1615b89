import type { Default } from './default.ts'

/** Makes the identity of a VMI that has none; `newId` gives a random UUID. */
export const firmwareUuid =
  (newId: () => string): Default =>
  ({ spec }) => {
    const firmware = (spec.domain.firmware ??= {})
    firmware.uuid ||= newId()
  }

/** arm64 machines have no BIOS: they boot by EFI, without secure boot. */
export const bootloader: Default = ({ spec }) => {
  if (spec.architecture !== 'arm64') return
  const firmware = (spec.domain.firmware ??= {})
  firmware.bootloader ??= { efi: { secureBoot: false } }
}
