import type { Architecture } from './architecture.ts'

export const amd64: Architecture = {
  name: 'x86_64',
  hasSmbios: true,
  hasVmport: true,
  hintsDedicatedCpus: true,
  hasPciHole64: true,
  hasOptionRoms: true,
  // QEMU dropped it from the models that once had it; without this, hosts with and without it could not exchange guests.
  disabledCpuFeatures: ['mpx'],
  hotplugsCpus: true,
  usb: 'on demand',
  inputs: [],
  video: 'vga',
  virtioModel: (transitional) => (transitional ? 'virtio-transitional' : 'virtio-non-transitional'),
  efi: [
    {
      code: 'OVMF_CODE.fd',
      secureCode: 'OVMF_CODE.secboot.fd',
      vars: 'OVMF_VARS.fd',
      secureVars: 'OVMF_VARS.secboot.fd',
    },
    {
      code: 'OVMF_CODE_4M.fd',
      secureCode: 'OVMF_CODE_4M.secboot.fd',
      vars: 'OVMF_VARS_4M.fd',
      secureVars: 'OVMF_VARS_4M.ms.fd',
    },
  ],
}
