import type { SSHPublicKeyAccessCredential, UserPasswordAccessCredential } from '@kubevirt-ts/api'
import { invalid, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import type { Rule, Subject } from '../rule.ts'

export const accessCredentials: Rule = (subject) =>
  (subject.spec.accessCredentials ?? []).flatMap(({ sshPublicKey, userPassword }, index) => {
    const path = `${subject.field}.accessCredentials[${index}]`
    return [
      ...(sshPublicKey ? sshCauses(sshPublicKey, `${path}.sshPublicKey`, subject) : []),
      ...(userPassword ? passwordCauses(userPassword, `${path}.userPassword`) : []),
      ...when(Boolean(sshPublicKey) === Boolean(userPassword), () =>
        invalid(path, `${path} must have exactly one access credential type set; use sshPublicKey or userPassword`),
      ),
    ]
  })

function sshCauses(
  { source, propagationMethod }: SSHPublicKeyAccessCredential,
  path: string,
  { spec }: Subject,
): Cause[] {
  const method = `${path}.propagationMethod`
  const { noCloud, configDrive, qemuGuestAgent } = propagationMethod ?? {}
  const has = (kind: 'cloudInitNoCloud' | 'cloudInitConfigDrive') => (spec.volumes ?? []).some((volume) => volume[kind])
  return [
    ...when([noCloud, configDrive, qemuGuestAgent].filter(Boolean).length !== 1, () =>
      invalid(method, `${method} must have exactly one propagationMethod; use noCloud, configDrive or qemuGuestAgent`),
    ),
    ...when(Boolean(qemuGuestAgent) && !qemuGuestAgent!.users?.length, () =>
      invalid(
        `${method}.qemuGuestAgent.users`,
        `${method}.qemuGuestAgent requires at least one user to be present in the users list`,
      ),
    ),
    ...when(!source?.secret, () =>
      invalid(`${path}.source`, `${path}.source must have exactly one source; set secret`),
    ),
    ...when(Boolean(noCloud) && !has('cloudInitNoCloud'), () =>
      invalid(method, `${method} requires a noCloud volume to exist when the noCloud propagationMethod is in use.`),
    ),
    ...when(Boolean(configDrive) && !has('cloudInitConfigDrive'), () =>
      invalid(
        method,
        `${method} requires a configDrive volume to exist when the configDrive propagationMethod is in use.`,
      ),
    ),
  ]
}

function passwordCauses({ source, propagationMethod }: UserPasswordAccessCredential, path: string): Cause[] {
  return [
    ...when(!propagationMethod?.qemuGuestAgent, () =>
      invalid(
        `${path}.propagationMethod`,
        `${path}.propagationMethod must have exactly one propagationMethod; use qemuGuestAgent`,
      ),
    ),
    ...when(!source?.secret, () =>
      invalid(`${path}.source`, `${path}.source must have exactly one source; set secret`),
    ),
  ]
}
