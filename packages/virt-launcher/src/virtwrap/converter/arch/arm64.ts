import type { Architecture } from './architecture.ts'

export const arm64: Architecture = {
  name: 'aarch64',
  hasSmbios: true,
  hasVmport: false,
  hintsDedicatedCpus: false,
  hasPciHole64: false,
  hasOptionRoms: true,
  disabledCpuFeatures: [],
  hotplugsCpus: false,
  usb: 'always',
  // The machine has no PS/2 devices that a display could fall back on.
  inputs: [
    { type: 'tablet', bus: 'usb' },
    { type: 'keyboard', bus: 'usb' },
  ],
  video: 'virtio',
  virtioModel: (transitional) => (transitional ? 'virtio-transitional' : 'virtio-non-transitional'),
  efi: [
    {
      code: 'AAVMF_CODE.fd',
      secureCode: 'AAVMF_CODE.fd',
      vars: 'AAVMF_VARS.fd',
      secureVars: 'AAVMF_VARS.fd',
    },
  ],
}
