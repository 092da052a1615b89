import type { Controller } from '@kubevirt-ts/domain'
import type { Configurator, Guest } from '../configurator.ts'
import { needsIommu } from './launch-security.ts'

/** The controllers that the guest's devices hang on. After all devices, since USB depends on them. */
export const controllers: Configurator = (domain, guest) => {
  const { vmi, arch } = guest
  const { autoattachSerialConsole, disableHotplug, disks, useVirtioTransitional } = vmi.spec.domain.devices
  const virtio = arch.virtioModel(Boolean(useVirtioTransitional))
  const driver = needsIommu(vmi) ? { $iommu: 'on' } : undefined
  const usesScsi = disks?.some(({ disk, lun, cdrom }) => (disk ?? lun ?? cdrom)?.bus === 'scsi')
  const all: Controller[] = []
  all.push({ $type: 'usb', $index: '0', $model: needsUsb(guest) ? 'qemu-xhci' : 'none' })
  // Disks are plugged in on SCSI.
  if (usesScsi || !disableHotplug)
    all.push({ $type: 'scsi', $index: '0', $model: arch.scsiControllerModel ?? virtio, driver })
  if (arch.hasPciHole64 && refusesPciHole64(vmi))
    all.push({ $type: 'pci', $index: '0', $model: 'pcie-root', pcihole64: { $unit: 'KiB', _: '0' } })
  if (autoattachSerialConsole !== false) all.push({ $type: 'virtio-serial', $index: '0', $model: virtio, driver })
  domain.devices.controller = all
}

/** Some old guests do not start with PCI addresses above 4 GiB. */
function refusesPciHole64({ metadata }: Guest['vmi']): boolean {
  return metadata.annotations?.['kubevirt.io/disablePCIHole64']?.toLowerCase() === 'true'
}

function needsUsb({ vmi, arch, context }: Guest): boolean {
  if (arch.usb !== 'on demand') return arch.usb === 'always'
  const { inputs, disks, clientPassthrough } = vmi.spec.domain.devices
  return (
    clientPassthrough !== undefined ||
    context.hostDevices.usbController === true ||
    Boolean(inputs?.some(({ bus = 'usb' }) => bus === 'usb')) ||
    Boolean(disks?.some(({ disk, cdrom }) => (disk ?? cdrom)?.bus === 'usb'))
  )
}
