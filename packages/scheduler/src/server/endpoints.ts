import type { KubeClient } from '@kubevirt-ts/kubecli'
import {
  serveEndpoints,
  type CertificateSource,
  type Endpoints,
  type Logger,
  type Registry,
} from '@kubevirt-ts/service'
import type { Options } from '../options.ts'
import type { SchedulerConfiguration } from '../profiles/configuration.ts'
import { authenticated } from './authentication.ts'

export interface Serving {
  readonly options: Pick<Options, 'bindAddress' | 'securePort'>
  readonly configuration: SchedulerConfiguration
  readonly client: KubeClient
  readonly registry: Registry
  readonly certificate: CertificateSource
  /** Whether the caches are filled. */
  readonly isReady: () => boolean
  readonly log: Logger
}

/** Health is for everybody, as probes have no token; the rest is for those whom the cluster allows. */
export async function serveSecurely(serving: Serving): Promise<Endpoints> {
  const { options, configuration, client, registry, certificate, isReady, log } = serving
  const ok = () => ({ status: 200, body: 'ok' })
  const endpoints = await serveEndpoints({
    host: options.bindAddress,
    port: options.securePort,
    log,
    routes: {
      '/livez': ok,
      '/readyz': () => (isReady() ? ok() : { status: 503, body: 'the caches are not filled yet' }),
      '/metrics': authenticated('/metrics', client, async () => ({
        status: 200,
        body: await registry.metrics(),
        contentType: registry.contentType,
      })),
      '/configz': authenticated('/configz', client, () => ({
        status: 200,
        body: JSON.stringify({ 'kubescheduler.config.k8s.io': shown(configuration) }),
        contentType: 'application/json',
      })),
    },
    certificate,
  })
  log.info({ port: endpoints.port }, 'serving health and metrics')
  return endpoints
}

/** Names and numbers only; places in the file are left out. */
function shown(configuration: SchedulerConfiguration): unknown {
  const { profiles } = configuration
  return {
    ...configuration,
    profiles: profiles.map(({ schedulerName, plugins }) => ({
      schedulerName,
      plugins: Object.fromEntries(
        Object.entries(plugins).map(([point, { enabled, disabled }]) => [
          point,
          {
            enabled: enabled.map(({ name: plugin, weight }) => ({ name: plugin, ...(weight ? { weight } : {}) })),
            disabled: disabled.map(({ name: plugin }) => ({ name: plugin })),
          },
        ]),
      ),
    })),
  }
}
