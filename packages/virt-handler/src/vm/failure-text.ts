import { RpcError } from '@kubevirt-ts/handler-launcher-com'
import { reasonOf } from '@kubevirt-ts/service'
import { CriticalNetworkError } from '../host/network/phase1.ts'
import { ProgramFailed } from '../host/run.ts'

/** What launchers answer begins with their own word. */
const worded = 'LauncherRefused'

/**
 * Why a guest is not what its VMI says, as its condition and event tell it: `REASON: message`. The reason is a stable
 * word, by which programs and users tell failures apart.
 */
export function failureText(error: unknown): string {
  const { message } = error as Error
  const reason = reasonOf(error) ?? reasonOfKind(error)
  return reason === worded ? message : `${reason}: ${message}`
}

function reasonOfKind(error: unknown): string {
  if (error instanceof CriticalNetworkError) return 'NetworkSetupFailed'
  if (error instanceof RpcError) return 'LauncherUnreachable'
  if (error instanceof ProgramFailed) return 'HostStepFailed'
  return 'Internal'
}
