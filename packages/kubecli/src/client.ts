import type { ClusterConfig } from './config/cluster-config.ts'
import type { KubeClient } from './kube-client.ts'

/** One answered request, for metrics. */
export interface RequestRecord {
  readonly method: string
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `request`. */
  readonly verb: string
  readonly resource: string
  readonly host: string
  /** 0 when no answer came. */
  readonly status: number
  readonly seconds: number
  /** How long the request waited for the rate limit. */
  readonly throttledSeconds: number
}

export interface ClientOptions {
  readonly userAgent: string
  /** Requests per second on average; no limit unless told. */
  readonly qps?: number
  readonly burst?: number
  readonly onRequest?: (record: RequestRecord) => void
  /** A request without an answer fails after this time; 30 s unless told. Watches are not affected. */
  readonly timeoutMs?: number
}

export function createClient(config: ClusterConfig, options: ClientOptions): KubeClient {
  throw new Error(`not written yet: ${config.server} ${options.userAgent}`)
}
