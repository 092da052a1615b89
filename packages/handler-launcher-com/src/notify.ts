import { NotifyInfoService } from './generated/kubevirt/notify/info/info.ts'
import { NotifyService } from './generated/kubevirt/notify/v1/notify.ts'
import { clientOnSocket, type RpcClient } from './client.ts'
import { served, serveOnSocket, type RpcServer } from './server.ts'
import type { Handlers } from './unary-service.ts'

export type NotifyHandlers = Handlers<typeof NotifyService>
export type NotifyClient = RpcClient<typeof NotifyService>

/** The `eventType` of a domain event. `Error` carries a status instead of a domain. */
export type DomainEventType = 'Added' | 'Modified' | 'Deleted' | 'Error'

const supported = {
  supportedNotifyVersions: ['v1'],
  supportedDomainVersions: ['v1'],
  supportedK8SMetaAPIVersions: ['v1'],
  supportedK8SEventAPIVersions: ['v1'],
}

/** The launcher's side: tells the handler behind `socketPath`. Calls end after `timeoutMs` (default 5 s). */
export function createNotifyClient(
  socketPath: string,
  { timeoutMs = 5_000 }: { timeoutMs?: number } = {},
): NotifyClient {
  return clientOnSocket(socketPath, NotifyService, () => timeoutMs)
}

/** The handler's side: receives events on `socketPath`. The same domain may come twice after a reconnect. */
export function serveNotify(socketPath: string, handlers: NotifyHandlers): Promise<RpcServer> {
  const info = async () => ({
    supportedNotifyVersions: [...supported.supportedNotifyVersions],
    supportedDomainVersions: [...supported.supportedDomainVersions],
    supportedK8SMetaAPIVersions: [...supported.supportedK8SMetaAPIVersions],
    supportedK8SEventAPIVersions: [...supported.supportedK8SEventAPIVersions],
  })
  return serveOnSocket(socketPath, [served(NotifyService, handlers), served(NotifyInfoService, { info })])
}
