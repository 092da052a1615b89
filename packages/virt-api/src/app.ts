import { setTimeout as delay } from 'node:timers/promises'
import type { Server } from 'node:https'
import { configMaps, kubeVirts } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { Gauge, VirtError, createRegistry, setVerbosity, watchCertificate } from '@kubevirt-ts/service'
import type { Logger, OptionValues, Registry, RunningService } from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import { authenticationConfigMap, requestHeaderConfig } from './authn/request-header.ts'
import { createAuthorizer } from './authz/authorizer.ts'
import type { options } from './options.ts'
import { serveStreams } from './rest/upgrade.ts'
import { createVirtHandler } from './rest/virt-handler.ts'
import { createServer } from './server.ts'
import { createTlsServer, renewTls } from './tls.ts'
import type { TlsParts } from './tls.ts'
import { compatibleRelease } from './version.ts'
import type { Settings } from './webhooks/settings.ts'

/** How long endpoints may still send requests after the readiness ended, in milliseconds. */
const drainMs = 5000

type Options = OptionValues<typeof options>

/** Joins virt-api's parts and starts listening; the answer stops it in order. */
export async function startApp(values: Options, log: Logger, signal: AbortSignal): Promise<RunningService> {
  const client = await connect(values)
  const metrics = createRegistry('virt-api')
  const ready = new Gauge({
    name: 'kubevirt_virt_api_ready_status',
    help: 'Indication for a virt-api that is ready to take requests.',
    registers: [metrics],
  })
  const config = await followConfiguration(client, values, log, signal)
  const authentication = await followAuthentication(client, log, signal)
  const [certificate, handlerCertificate] = await Promise.all([
    watchCertificate({ certFile: values.tlsCertFile, keyFile: values.tlsKeyFile, log }),
    watchCertificate({
      certFile: values.handlerCertFile,
      keyFile: values.handlerKeyFile,
      caFile: values.caFile,
      log,
    }),
  ])
  const tls: TlsParts = {
    certificate,
    clientCa: () => authentication.current()?.clientCa,
    settings: () => config.configuration().tlsConfiguration,
  }
  const virtHandler = createVirtHandler({
    client,
    namespace: values.namespace,
    port: values.consoleServerPort,
    certificate: handlerCertificate,
  })
  const authorize = createAuthorizer({ client, requestHeader: authentication.current, log })
  const settings: Settings = {
    get configuration() {
      return config.configuration()
    },
    isEnabled: (gate) => config.isEnabled(gate),
  }
  const admission = {
    settings,
    client,
    namespace: values.namespace,
    chance: { now: () => new Date().toISOString().replace(/\.\d+Z$/, 'Z'), newId: () => crypto.randomUUID() },
  }
  let server: Server | undefined
  const app = createServer({
    client,
    virtHandler,
    log,
    metrics,
    authorize,
    configVersion: () => config.resourceVersion(),
    registry: () => {
      const { registry = '', tag = compatibleRelease } = imagesOf(config)
      return { registry, tag }
    },
    ...(!values.subresourcesOnly && { admission: () => admission }),
    serverFactory: (listener) => (server = createTlsServer(listener, tls)),
  })
  await app.ready()
  const endStreams = serveStreams(server!, { client, virtHandler, log, authorize, active: activeStreams(metrics) })
  const renew = () => renewTls(server!, tls)
  certificate.onChange(renew)
  authentication.onChange(renew)
  config.onChange(renew)
  config.onChange(({ developerConfiguration }) =>
    setVerbosity(log, developerConfiguration?.logVerbosity?.virtAPI ?? values.verbosity),
  )
  await app.listen({ host: values.listen, port: values.port })
  ready.set(1)
  log.info({ port: values.port, release: compatibleRelease }, 'virt-api is ready')
  return {
    stop: async () => {
      ready.set(0)
      await delay(drainMs)
      endStreams()
      await Promise.race([app.close(), delay(drainMs)])
      server?.closeAllConnections()
      certificate.close()
      handlerCertificate.close()
      await client.close()
    },
  }
}

async function connect({ kubeconfig }: Options): Promise<KubeClient> {
  const config = await loadConfig(kubeconfig ? { kubeconfig } : {})
  return createClient(config, { userAgent: 'virt-api', qps: 200, burst: 400 })
}

async function followConfiguration(
  client: KubeClient,
  { namespace }: Options,
  log: Logger,
  signal: AbortSignal,
): Promise<ClusterConfig> {
  const informer = new Informer({ client, resource: kubeVirts, namespace, log })
  const config = new ClusterConfig({
    kubeVirts: informer,
    namespace,
    onInvalid: (error) => log.error({ error }, 'the KubeVirt resource can not be used, the last valid one stays'),
  })
  informer.start(signal)
  await informer.synced
  config.onChange(({ apiConfiguration }) => {
    const limit = apiConfiguration?.restClient?.rateLimiter?.tokenBucketRateLimiter
    if (limit) client.setRateLimit({ qps: limit.qps, burst: limit.burst })
  })
  return config
}

/** The ConfigMap that says which proxy to believe. Without it nobody could be served, so the start fails. */
async function followAuthentication(client: KubeClient, log: Logger, signal: AbortSignal) {
  const { namespace, name } = authenticationConfigMap
  const fieldSelector = `metadata.name=${name}`
  const informer = new Informer({ client, resource: configMaps, namespace, fieldSelector, log })
  informer.start(signal)
  await informer.synced
  const read = () => requestHeaderConfig(informer.get(`${namespace}/${name}`))
  let config = read()
  if (!config) {
    throw new VirtError(
      'NoRequestHeaderCA',
      `ConfigMap ${namespace}/${name} has no requestheader-client-ca-file: the API server runs without an aggregation layer`,
    )
  }
  return {
    current: () => config,
    onChange: (listener: () => void) => {
      const changed = () => {
        config = read() ?? config
        listener()
      }
      informer.on({ updated: changed })
    },
  }
}

function activeStreams(metrics: Registry): Readonly<Record<string, Gauge>> {
  const gauge = (name: string) =>
    new Gauge({
      name: `kubevirt_${name}_active_connections`,
      help: `Amount of active ${name} connections.`,
      labelNames: ['namespace', 'vmi'],
      registers: [metrics],
    })
  return { console: gauge('console'), vnc: gauge('vnc') }
}

function imagesOf(config: ClusterConfig): { registry?: string; tag?: string } {
  const { observedKubeVirtRegistry: registry, observedKubeVirtVersion: tag } = config.kubeVirt()?.status ?? {}
  return { ...(registry && { registry }), ...(tag && { tag }) }
}
