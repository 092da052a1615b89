import type { Architecture } from './architecture.ts'

export const s390x: Architecture = {
  name: 's390x',
  hasSmbios: false,
  hasVmport: false,
  hintsDedicatedCpus: false,
  hasPciHole64: false,
  hasOptionRoms: false,
  disabledCpuFeatures: [],
  hotplugsCpus: true,
  usb: 'never',
  inputs: [{ type: 'keyboard', bus: 'virtio' }],
  video: 'virtio',
  scsiControllerModel: 'virtio-scsi',
  // CCW devices have no transitional form.
  virtioModel: () => 'virtio',
  efi: [],
}
