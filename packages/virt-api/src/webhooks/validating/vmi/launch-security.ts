import { forbidden, invalid, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** Encrypted guests: one technique, its gate, EFI without what the measurement can not cover, no boot by network. */
export const launchSecurity: Rule = ({ spec, field, settings }) => {
  const security = spec.domain.launchSecurity
  if (!security) return []
  const path = `${field}.launchSecurity`
  const { sev, snp, tdx } = security
  const techniques = [sev, snp, tdx].filter(Boolean).length
  if (techniques > 1) return [forbidden(path, 'SEV, SEV-SNP and TDX are mutually exclusive; keep one of them')]
  if (techniques === 0 && spec.architecture !== 's390x') {
    return [forbidden(path, 'One launchSecurity type should be set; use sev, snp or tdx')]
  }
  const { efi } = spec.domain.firmware?.bootloader ?? {}
  const smm = spec.domain.features?.smm
  const gate = sev || snp ? 'WorkloadEncryptionSEV' : tdx ? 'WorkloadEncryptionTDX' : undefined
  if (gate && !settings.isEnabled(gate))
    return [invalid(path, `${gate} feature gate is not enabled in kubevirt-config`)]
  const encrypted = techniques > 0
  return [
    ...when(encrypted && !efi, () => invalid(path, 'Launch security requires EFI; set firmware.bootloader.efi')),
    ...when(Boolean(sev || snp) && efi !== undefined && efi.secureBoot !== false, () =>
      invalid(path, 'SEV and SEV-SNP do not work along with SecureBoot; set efi.secureBoot to false'),
    ),
    ...when(Boolean(snp || tdx) && efi?.persistent === true, () =>
      invalid(path, 'SEV-SNP and TDX do not work along with persistent EFI variables; set efi.persistent to false'),
    ),
    ...when(Boolean(tdx) && smm !== undefined && smm.enabled !== false, () =>
      invalid(path, 'TDX does not work along with SMM; set features.smm.enabled to false'),
    ),
    ...when(Boolean(sev?.attestation) && spec.startStrategy !== 'Paused', () =>
      invalid(path, 'SEV attestation requires VMI StartStrategy Paused; set startStrategy'),
    ),
    ...when(encrypted && (spec.domain.devices.interfaces ?? []).some(({ bootOrder }) => bootOrder !== undefined), () =>
      invalid(path, 'Launch security does not work with bootable NICs; remove bootOrder from the interfaces'),
    ),
  ]
}
