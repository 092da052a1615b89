import { basename } from 'node:path'
import type { Configurator } from '../configurator.ts'

/** The machine, and what it boots when that is no disk. */
export const os: Configurator = (domain, { vmi, context, arch }) => {
  const { machine, firmware } = vmi.spec.domain
  domain.os.type = { $arch: arch.name, $machine: machine?.type, _: 'hvm' }
  if (arch.hasSmbios) domain.os.smbios = { $mode: 'sysinfo' }
  if (firmware?.bootloader?.bios?.useSerial) domain.os.bios = { $useserial: 'yes' }
  // Somebody who starts a guest paused wants to see its first screens.
  if (vmi.spec.startStrategy === 'Paused') domain.os.bootmenu = { $enable: 'yes', $timeout: '10000' }

  const { container, kernelArgs } = firmware?.kernelBoot ?? {}
  const artefact = (path: string) => `${context.paths.containerDisks}/kernel-boot/${basename(path)}`
  if (container?.kernelPath) domain.os.kernel = artefact(container.kernelPath)
  if (container?.initrdPath) domain.os.initrd = artefact(container.initrdPath)
  if (kernelArgs) domain.os.cmdline = kernelArgs
}
