import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { RouteHandler } from '@kubevirt-ts/service'

/** After this time without any answer the API server counts as out of reach; the lease alone asks every 2 s. */
const silentMs = 60_000

export interface HealthOptions {
  readonly client: Pick<KubeClient, 'lastContact'>
  readonly config: ClusterConfig
  readonly isLeader: () => boolean
  readonly now: () => number
  readonly startedAt: number
}

/** `/healthz` and `/leader`, in the form that probes and people know from upstream. */
export function healthRoutes({
  client,
  config,
  isLeader,
  now,
  startedAt,
}: HealthOptions): Record<string, RouteHandler> {
  const json = (status: number, body: unknown): ReturnType<RouteHandler> => ({
    status,
    body: `${JSON.stringify(body)}\n`,
    contentType: 'application/json',
  })
  return {
    '/healthz': () => {
      const silence = now() - Math.max(client.lastContact, startedAt)
      if (silence < silentMs) {
        return json(200, { apiserver: { connectivity: 'ok' }, 'config-resource-version': config.resourceVersion() })
      }
      const error = `the API server has not answered for ${Math.round(silence / 1000)} s`
      return json(500, { apiserver: { connectivity: 'failed', error } })
    },
    '/leader': () => json(200, { apiserver: { leader: String(isLeader()) } }),
  }
}
