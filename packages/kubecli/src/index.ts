export { loadConfig, type LoadConfigOptions } from './config/load-config.ts'
export {
  impersonationHeaders,
  type ClusterConfig,
  type ClusterTls,
  type Impersonation,
} from './config/cluster-config.ts'
export { createClient, type ClientOptions, type RequestRecord } from './client.ts'
export type {
  ApiPath,
  ClientRequest,
  ClientResponse,
  CreateOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  ObjectReference,
  PatchOptions,
  PatchType,
  Query,
  UpdateOptions,
  UpgradeOptions,
  WatchEvent,
  WatchEventType,
  WatchOptions,
} from './kube-client.ts'
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isServerFailure,
} from './api-error.ts'
export { resourcePath } from './resource-path.ts'
export { TokenBucket, type RateLimit } from './token-bucket.ts'
export { Unanswered } from './transport.ts'
export { WatchError } from './watch-stream.ts'
