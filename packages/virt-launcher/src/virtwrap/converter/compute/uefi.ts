import { VirtError } from '@kubevirt-ts/service/error'
import type { Configurator, Guest } from '../configurator.ts'
import { confidentiality } from './launch-security.ts'

type Files = { readonly code: string; readonly vars?: string }

/** UEFI firmware with its variables; guests without it boot by BIOS. */
export const uefi: Configurator = (domain, guest) => {
  const { vmi, context } = guest
  const efi = vmi.spec.domain.firmware?.bootloader?.efi
  if (!efi) return
  const secure = efi.secureBoot ?? true
  const { code, vars } = filesFor(guest, secure)
  const path = (file: string) => `${context.firmware.folder}/${file}`
  domain.os.loader = { $readonly: 'yes', $secure: secure ? 'yes' : 'no', $type: vars ? 'pflash' : 'rom', _: path(code) }
  if (vars) domain.os.nvram = { $template: path(vars), _: `${context.paths.nvram}/${vmi.metadata.name}_VARS.fd` }
}

function filesFor({ vmi, context, arch }: Guest, secure: boolean): Files {
  const has = (file: string) => context.firmware.files.has(file)
  switch (confidentiality(vmi)) {
    case 'sev':
      return { code: 'OVMF_CODE.cc.fd', vars: 'OVMF_VARS.fd' }
    case 'snp':
      return { code: 'OVMF.amdsev.fd' }
    case 'tdx':
      return { code: secure ? 'OVMF.inteltdx.secboot.fd' : 'OVMF.inteltdx.fd' }
  }
  const set = arch.efi.find(({ vars }) => has(vars)) ?? arch.efi[0]
  if (!set) throw new VirtError('UefiMissing', `there is no UEFI for architecture ${arch.name}`)
  if (secure) return { code: set.secureCode, vars: set.secureVars }
  // The code that can do secure boot also boots without it, and images often have no other.
  return { code: has(set.secureCode) ? set.secureCode : set.code, vars: set.vars }
}
