import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Configurator } from '../configurator.ts'

export type Confidentiality = 'sev' | 'snp' | 'tdx' | 'secure execution'

/** How the guest's memory is kept from the host, if it is. */
export function confidentiality(vmi: VirtualMachineInstance): Confidentiality | undefined {
  const security = vmi.spec.domain.launchSecurity
  if (!security) return undefined
  if (security.sev) return 'sev'
  if (security.snp) return 'snp'
  if (security.tdx) return 'tdx'
  return 'secure execution'
}

/** Devices of such a guest go through an IOMMU, so that they reach only the memory it shares. */
export function needsIommu(vmi: VirtualMachineInstance): boolean {
  const kind = confidentiality(vmi)
  return kind !== undefined && kind !== 'tdx'
}

// Bits of AMD's guest policies.
const noDebug = 0x1
const encryptedState = 0x4
const snpSmtAllowed = 0x30000

/** Socket of the service that signs what the guest attests; admission writes it into the annotation. */
function quoteSocket({ metadata }: VirtualMachineInstance): string {
  return metadata.annotations?.['kubevirt.io/qgs-socket-path'] ?? '/var/run/tdx-qgs/qgs.socket'
}

export const launchSecurity: Configurator = (domain, { vmi }) => {
  const security = vmi.spec.domain.launchSecurity
  switch (confidentiality(vmi)) {
    case 'sev': {
      const policy = noDebug | (security?.sev?.policy?.encryptedState ? encryptedState : 0)
      domain.launchSecurity = {
        $type: 'sev',
        policy: `0x${policy.toString(16)}`,
        dhCert: security?.sev?.dhCert,
        session: security?.sev?.session,
      }
      break
    }
    case 'snp':
      domain.launchSecurity = { $type: 'sev-snp', policy: `0x${snpSmtAllowed.toString(16)}` }
      break
    case 'tdx':
      domain.launchSecurity = { $type: 'tdx', quoteGenerationService: { $path: quoteSocket(vmi) } }
      break
  }
}
