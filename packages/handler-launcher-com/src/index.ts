export {
  cmdRpcs,
  createCmdClient,
  serveCmd,
  supportedCmdVersions,
  type CmdClient,
  type CmdHandlers,
  type CmdRpc,
  type CmdTimeouts,
} from './cmd.ts'
export {
  createNotifyClient,
  serveNotify,
  type DomainEventType,
  type NotifyClient,
  type NotifyHandlers,
} from './notify.ts'
export { decodeJson, decodeVmi, encodeJson, encodeVmi } from './json-bytes.ts'
export { RpcError, type Connection } from './client.ts'
export {
  createHookCallbacks,
  createHookInfoClient,
  hookPoint,
  newestOf,
  serveHooks,
  type HookCallbacks,
  type HookHandlers,
  type HookInfo,
  type HookVersion,
} from './hooks.ts'
export { migrationPorts, migrationProxyFolder, migrationSocket, type MigrationOptions } from './migration-options.ts'
export {
  networkCacheFile,
  networkCacheFolder,
  type NetworkCache,
  type NetworkCacheIpv4,
  type NetworkCacheRoute,
} from './network-cache.ts'
export type { RpcServer } from './server.ts'
export type { CallOptions } from './unary-service.ts'
export {
  VirtualMachineOptions,
  type DiskInfo,
  type ExecRequest,
  type ExecResponse,
  type FreezeRequest,
  type GuestPingRequest,
  type MemoryDumpRequest,
  type GuestPingResponse,
  type MigrationRequest,
  type Response,
  type SMBios,
  type Topology,
  type VMIRequest,
} from './generated/kubevirt/cmd/v1/cmd.ts'
export type {
  DomainEventRequest,
  K8sEventRequest,
  Response as NotifyResponse,
} from './generated/kubevirt/notify/v1/notify.ts'
export type { GuestStatistics } from './statistics.ts'
