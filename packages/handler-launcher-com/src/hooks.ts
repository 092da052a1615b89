import { InfoService, type InfoResult } from './generated/kubevirt/hooks/info/info.ts'
import { CallbacksService } from './generated/kubevirt/hooks/v1alpha3/callbacks.ts'
import { clientOnSocket, type RpcClient } from './client.ts'
import { served, serveOnSocket, type RpcServer } from './server.ts'
import type { Handlers } from './unary-service.ts'

/** Versions of the Callbacks service, the newest last; each has what the earlier ones have. */
export const hookVersions = ['v1alpha1', 'v1alpha2', 'v1alpha3'] as const
export type HookVersion = (typeof hookVersions)[number]

/** What a sidecar can be called for, by the name under which it subscribes. */
export const hookPoint = {
  onDefineDomain: 'OnDefineDomain',
  preCloudInitIso: 'PreCloudInitIso',
  shutdown: 'Shutdown',
} as const

export type HookInfo = InfoResult
export type HookInfoClient = RpcClient<typeof InfoService>
export type HookCallbacks = RpcClient<typeof CallbacksService>
export type HookHandlers = Handlers<typeof CallbacksService>

/** The launcher's side: asks a sidecar what it wants to be called for. */
export function createHookInfoClient(socketPath: string, timeoutMs = 5_000): HookInfoClient {
  return clientOnSocket(socketPath, InfoService, () => timeoutMs)
}

/** The launcher's side: calls a sidecar that serves this version. */
export function createHookCallbacks(socketPath: string, version: HookVersion, timeoutMs = 20_000): HookCallbacks {
  return clientOnSocket(socketPath, callbacksService(version), () => timeoutMs)
}

/** A sidecar's side: answers on `socketPath`. Only the newest version that `info` names is served. */
export function serveHooks(socketPath: string, info: HookInfo, handlers: Partial<HookHandlers>): Promise<RpcServer> {
  const unserved = async (): Promise<never> => {
    throw new Error(`${info.name} does not serve this call`)
  }
  const all = { onDefineDomain: unserved, preCloudInitIso: unserved, shutdown: unserved, ...handlers }
  const version = newestOf(info.versions) ?? 'v1alpha3'
  return serveOnSocket(socketPath, [
    served(InfoService, { info: async () => info }),
    served(callbacksService(version), all),
  ])
}

/** The newest version that both sides speak; undefined when there is none. */
export function newestOf(versions: readonly string[]): HookVersion | undefined {
  return hookVersions.findLast((version) => versions.includes(version))
}

/** The messages are the same in all versions; the name of the service is not. */
function callbacksService(version: HookVersion): typeof CallbacksService {
  const renamed = Object.entries(CallbacksService).map(([rpc, method]) => [
    rpc,
    { ...method, path: method.path.replace('v1alpha3', version) },
  ])
  return Object.fromEntries(renamed) as typeof CallbacksService
}
