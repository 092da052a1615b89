import { errorCode, LibvirtError } from '@kubevirt-ts/libvirt'
import { reasonOf } from '@kubevirt-ts/service'

/** Of the operating system, as Node names them. */
const systemReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'NoSpace',
  EDQUOT: 'NoSpace',
  ENOENT: 'FileMissing',
  EACCES: 'PermissionDenied',
  EPERM: 'PermissionDenied',
}

const libvirtReasons: Readonly<Record<number, string>> = {
  [errorCode.noDomain]: 'DomainNotFound',
  [errorCode.operationInvalid]: 'WrongDomainState',
  [errorCode.configUnsupported]: 'NotSupported',
  [errorCode.agentUnresponsive]: 'AgentNotConnected',
  [errorCode.deviceMissing]: 'DeviceNotFound',
}

/**
 * What a request that failed is answered: `REASON: message`. The reason is a stable word, by which programs and users
 * tell failures apart; it becomes part of the VMI's condition and event.
 */
export function refusalText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `${refusalReason(error)}: ${message}`
}

function refusalReason(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  if (error instanceof LibvirtError) return libvirtReasons[error.code] ?? 'LibvirtFailed'
  return reasonOf(error) ?? systemReasons[String(code)] ?? 'Internal'
}
