import { invalid, notSupported, oneOf, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

export const architectures = ['amd64', 'arm64', 's390x']

/** A VMI's architecture must be one that launchers exist for; a VM's is looked at when it starts. */
export const knownArchitecture: Rule = ({ spec, field }) =>
  when(!architectures.includes(spec.architecture ?? ''), () =>
    invalid(`${field}.architecture`, `unsupported architecture: ${spec.architecture}; ${oneOf(architectures)}`),
  )

/** What arm64 machines do not have. */
export const arm64: Rule = ({ spec, field }) => {
  if (spec.architecture !== 'arm64') return []
  const { domain } = spec
  const { devices } = domain
  const efi = domain.firmware?.bootloader?.efi
  return [
    ...when(Boolean(domain.firmware?.bootloader?.bios), () =>
      notSupported(
        `${field}.domain.firmware.bootloader.bios`,
        'Arm64 does not support bios boot, please change to uefi boot',
      ),
    ),
    ...when(Boolean(efi) && efi!.secureBoot !== false, () =>
      notSupported(
        `${field}.domain.firmware.bootloader.efi.secureboot`,
        'UEFI secure boot is currently not supported on aarch64 Arch; set secureBoot to false',
      ),
    ),
    ...when(Boolean(domain.cpu?.model) && domain.cpu!.model !== 'host-passthrough', () =>
      notSupported(`${field}.domain.cpu.model`, `${domain.cpu!.model} is not supported on Arm64; use host-passthrough`),
    ),
    ...(devices.disks ?? []).flatMap(({ disk, cdrom, lun }, index) =>
      Object.entries({ disk, cdrom, lun }).flatMap(([target, device]) =>
        when(Boolean(device?.bus) && !['virtio', 'scsi'].includes(device!.bus!), () =>
          notSupported(
            `${field}.domain.devices.disks[${index}].${target}.bus`,
            'Arm64 not support this disk bus type, please use virtio or scsi',
          ),
        ),
      ),
    ),
    ...when(Boolean(devices.watchdog), () =>
      notSupported(`${field}.domain.devices.watchdog`, 'Arm64 not support Watchdog device; remove it'),
    ),
    ...when(Boolean(devices.sound), () =>
      notSupported(`${field}.domain.devices.sound`, 'Arm64 not support sound device; remove it'),
    ),
  ]
}

/** Each architecture has one watchdog. */
export const watchdog: Rule = ({ spec, field }) => {
  const given = spec.domain.devices.watchdog
  if (!given || spec.architecture === 'arm64') return []
  const [own, other] =
    spec.architecture === 's390x' ? (['diag288', 'i6300esb'] as const) : (['i6300esb', 'diag288'] as const)
  return when(Boolean(given[other]), () =>
    notSupported(`${field}.domain.devices.watchdog`, `${spec.architecture} only supports ${own} watchdog device`),
  )
}
