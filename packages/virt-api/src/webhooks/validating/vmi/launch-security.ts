import { invalid, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** Encrypted guests: one technique, its gate, EFI without what the measurement can not cover, no boot by network. */
export const launchSecurity: Rule = ({ spec, field, settings }) => {
  const security = spec.domain.launchSecurity
  if (!security) return []
  const path = `${field}.launchSecurity`
  const { sev, snp, tdx } = security
  const { efi } = spec.domain.firmware?.bootloader ?? {}
  const gateOff = (sev || snp) && !settings.isEnabled('WorkloadEncryptionSEV')
  const tdxGateOff = tdx && !settings.isEnabled('WorkloadEncryptionTDX')
  const gate = gateOff ? 'WorkloadEncryptionSEV' : tdxGateOff ? 'WorkloadEncryptionTDX' : undefined
  if (gate) return [invalid(path, `${gate} feature gate is not enabled in kubevirt-config`)]
  const encrypted = Boolean(sev || snp || tdx)
  return [
    ...when([sev, snp, tdx].filter(Boolean).length > 1, () =>
      invalid(path, 'SEV, SEV-SNP and TDX are mutually exclusive; keep one of them'),
    ),
    ...when(encrypted && !efi, () => invalid(path, 'Launch security requires EFI; set firmware.bootloader.efi')),
    ...when(Boolean(sev || snp) && efi !== undefined && efi.secureBoot !== false, () =>
      invalid(path, 'SEV and SEV-SNP do not work along with SecureBoot; set efi.secureBoot to false'),
    ),
    ...when(Boolean(snp || tdx) && efi?.persistent === true, () =>
      invalid(path, 'SEV-SNP and TDX do not work along with persistent EFI variables; set efi.persistent to false'),
    ),
    ...when(Boolean(sev?.attestation) && spec.startStrategy !== 'Paused', () =>
      invalid(path, 'SEV attestation requires VMI StartStrategy Paused; set startStrategy'),
    ),
    ...when(encrypted && (spec.domain.devices.interfaces ?? []).some(({ bootOrder }) => bootOrder !== undefined), () =>
      invalid(path, 'Launch security does not work with bootable NICs; remove bootOrder from the interfaces'),
    ),
  ]
}
