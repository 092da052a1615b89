import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { StatusError } from '../status-error.ts'
import type { Settings } from '../settings.ts'
import { decodeOptions } from './body.ts'
import { applyChanges } from './change.ts'
import type { Change } from './change.ts'
import type { RestParts, Target } from './parts.ts'
import type { Check } from './pass-through.ts'
import { pass } from './pass-through.ts'
import { conflict, fetchVmi, vmiKind } from './subjects.ts'
import { hasCondition } from './vm-state.ts'

/** Throws a 400 while encrypted guests are switched off. */
export function needSev(settings: Settings): void {
  if (settings.isEnabled('WorkloadEncryptionSEV')) return
  throw new StatusError(400, "'WorkloadEncryptionSEV' feature gate is not enabled")
}

const refuse = ({ metadata }: VirtualMachineInstance, message: string) => conflict(vmiKind, metadata.name, message)

const attested: Check = (vmi) => {
  if (!vmi.spec.domain.launchSecurity?.sev?.attestation) throw refuse(vmi, 'Attestation not requested for VMI')
}

/** The platform's certificates can be had as soon as a node is known. */
export const canFetchCertificates: Check = (vmi) => {
  const phase = vmi.status?.phase
  if (phase !== 'Scheduled' && phase !== 'Running') throw refuse(vmi, 'VMI is not in scheduled or running phase')
  attested(vmi)
}

/** A guest is measured, and gets its secret, when it is loaded but does not run yet. */
export const canMeasure: Check = (vmi) => {
  if (vmi.status?.phase !== 'Running') throw refuse(vmi, 'VMI is not running')
  attested(vmi)
  if (!hasCondition(vmi, 'Paused')) throw refuse(vmi, 'VMI is not paused')
}

export async function injectLaunchSecret(parts: RestParts, target: Target, body: object): Promise<void> {
  needSev(parts.settings)
  await pass(parts, target, 'sev/injectlaunchsecret', canMeasure, body)
}

/** Gives a scheduled guest the session of its owner; only once. */
export async function setupSession({ client, settings }: RestParts, target: Target, body: object): Promise<void> {
  needSev(settings)
  const { session, dhCert } = decodeOptions('SEVSessionOptions', body)
  if (!session) throw new StatusError(400, 'Session blob is required')
  if (!dhCert) throw new StatusError(400, 'DH cert is required')
  const vmi = await fetchVmi(client, target)
  await applyChanges(client, target, [sessionChange(vmi, session, dhCert)])
}

/** Throws a 409 when the guest is past that, or has a session. */
export function sessionChange(vmi: VirtualMachineInstance, session: string, dhCert: string): Change {
  if (vmi.status?.phase !== 'Scheduled') throw refuse(vmi, 'VMI is not in scheduled phase')
  attested(vmi)
  const sev = vmi.spec.domain.launchSecurity!.sev!
  if (sev.session || sev.dhCert) throw refuse(vmi, 'Session already defined')
  const path = '/spec/domain/launchSecurity/sev'
  return {
    on: 'vmi',
    patch: [
      { op: 'test', path, value: sev },
      { op: 'replace', path, value: { ...sev, session, dhCert } },
    ],
  }
}
