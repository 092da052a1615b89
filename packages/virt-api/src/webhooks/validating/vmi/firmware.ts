import { invalid, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import type { Rule } from '../rule.ts'
import { pathProblem } from './container-disk.ts'

export const bootloader: Rule = ({ spec: { domain }, field }) => {
  const { efi, bios } = domain.firmware?.bootloader ?? {}
  return when(Boolean(efi && bios), () =>
    invalid(
      `${field}.domain.firmware.bootloader`,
      `${field}.domain.firmware.bootloader has both EFI and BIOS configured, but they are mutually exclusive.`,
    ),
  )
}

/** Secure boot keeps its variables behind SMM. TDX guests have no SMM and do not need it. */
export const secureBoot: Rule = ({ spec: { domain }, field }) => {
  const efi = domain.firmware?.bootloader?.efi
  const smm = domain.features?.smm
  const smmOn = smm !== undefined && smm.enabled !== false
  return when(Boolean(efi) && efi?.secureBoot !== false && !smmOn && !domain.launchSecurity?.tdx, () =>
    invalid(
      `${field}.domain`,
      `${field}.domain has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled. ` +
        'Set features.smm.enabled to true or firmware.bootloader.efi.secureBoot to false.',
    ),
  )
}

/** The guest reads it as its own serial number, through SMBIOS. */
export const firmwareSerial: Rule = ({ spec: { domain }, field }) => {
  const serial = domain.firmware?.serial
  if (!serial) return []
  const path = `${field}.domain.firmware.serial`
  return [
    ...when(serial.length > 256, () =>
      invalid(path, `${path} must be less than or equal to 256 in length, if specified`),
    ),
    ...when(!/^[A-Za-z0-9_.+-]+$/.test(serial), () =>
      invalid(path, `${path} must be made up of the following characters [A-Za-z0-9_.+-], if specified`),
    ),
  ]
}

export const kernelBoot: Rule = ({ spec: { domain }, field }) => {
  const kernelBoot = domain.firmware?.kernelBoot
  if (!kernelBoot) return []
  const path = `${field}.domain.firmware.kernelBoot`
  const container = kernelBoot.container
  if (!container) {
    return when(Boolean(kernelBoot.kernelArgs), () =>
      invalid(
        `${path}.kernelArgs`,
        'kernel arguments cannot be provided without an external kernel; set kernelBoot.container',
      ),
    )
  }
  const causes: Cause[] = []
  if (!container.image)
    causes.push(required(`${path}.container.image`, `${path}.container must be defined with an image`))
  if (!container.kernelPath && !container.initrdPath) {
    causes.push(
      required(`${path}.container`, `${path}.container must be defined with at least one of: kernelPath, initrdPath`),
    )
  }
  for (const name of ['kernelPath', 'initrdPath'] as const) {
    const problem = container[name] ? pathProblem(container[name]) : undefined
    if (problem) causes.push(invalid(`${path}.container.${name}`, `${path}.container.${name} ${problem}`))
  }
  return causes
}

/** Tables of ACPI come from volumes that are Secrets. */
export const acpiTables: Rule = ({ spec, field }) => {
  const acpi = spec.domain.firmware?.acpi
  if (!acpi) return []
  if (!acpi.slicNameRef && !acpi.msdmNameRef) {
    return [
      invalid(
        `${field}.acpi`,
        'ACPI was set but no SLIC nor MSDM volume reference was set; set slicNameRef or msdmNameRef',
      ),
    ]
  }
  return (['slicNameRef', 'msdmNameRef'] as const).flatMap((name) => {
    const wanted = acpi[name]
    if (!wanted) return []
    const volume = spec.volumes?.find((each) => each.name === wanted)
    const path = `${field}.acpi.${name}`
    if (!volume) return [invalid(path, `${path} does not have a matching Volume: ${wanted}`)]
    return when(!volume.secret, () =>
      invalid(path, `${path} Volume of unsupported type; make ${wanted} a Secret volume`),
    )
  })
}
