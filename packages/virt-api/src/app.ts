import { randomUUID } from 'node:crypto'
import type { Server } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { createRegistry, watchCertificate } from '@kubevirt-ts/service'
import type { CertificateSource, Logger, OptionValues, RunningService } from '@kubevirt-ts/service'
import { followRequestHeader } from './authn/follow-request-header.ts'
import { createAuthorizer } from './authz/authorizer.ts'
import { followConfiguration, imagesOf, settingsOf } from './configuration.ts'
import { activeStreams, readyStatus } from './metrics.ts'
import type { options } from './options.ts'
import { serveStreams } from './rest/upgrade.ts'
import { createVirtHandler } from './rest/virt-handler.ts'
import { createComponents } from './profiler/components.ts'
import { followPresets } from './presets.ts'
import { createServer } from './server.ts'
import { createTlsServer, renewTls } from './tls.ts'
import type { TlsParts } from './tls.ts'
import { compatibleRelease } from '@kubevirt-ts/api'

/** How long requests may still come after the readiness ended, and how long they may then take; in milliseconds. */
const drainMs = 5000

type Options = OptionValues<typeof options>

/** Joins virt-api's parts and starts listening; the answer stops it in order. */
export async function startApp(values: Options, log: Logger, signal: AbortSignal): Promise<RunningService> {
  const { namespace } = values
  const client = await connect(values)
  const config = await followConfiguration(client, values, log, signal)
  const requestHeader = await followRequestHeader(client, log, signal)
  const { server: certificate, handlerClient } = await followCertificates(values, log)
  const metrics = createRegistry('virt-api')
  const ready = readyStatus(metrics)

  const port = values.consoleServerPort
  const virtHandler = createVirtHandler({ client, namespace, port, certificate: handlerClient })
  const authorize = createAuthorizer({ client, requestHeader: requestHeader.current, log })
  const settings = settingsOf(config)
  const presets = values.subresourcesOnly ? undefined : await followPresets(client, log, signal)
  const admission = { settings, client, namespace, chance: { now, newId: randomUUID }, ...(presets && { presets }) }
  const tls: TlsParts = {
    certificate,
    clientCa: () => requestHeader.current()?.clientCa,
    settings: () => config.configuration().tlsConfiguration,
  }
  let server: Server | undefined
  const app = createServer({
    client,
    virtHandler,
    log,
    settings,
    metrics,
    authorize,
    configVersion: () => config.resourceVersion(),
    registry: () => imagesOf(config),
    askComponents: createComponents({ client, namespace, certificate: handlerClient }),
    ...(!values.subresourcesOnly && { admission: () => admission }),
    serverFactory: (listener) => (server = createTlsServer(listener, tls)),
  })
  await app.listen({ host: values.listen, port: values.port })
  const endStreams = serveStreams(server!, {
    client,
    virtHandler,
    log,
    settings,
    authorize,
    active: activeStreams(metrics),
  })
  for (const source of [certificate, requestHeader, config]) source.onChange(() => renewTls(server!, tls))
  ready.set(1)
  log.info({ port: values.port, release: compatibleRelease }, 'virt-api is ready')

  const stop = async () => {
    ready.set(0)
    await delay(drainMs)
    endStreams()
    await Promise.race([app.close(), delay(drainMs)])
    server?.closeAllConnections()
    for (const source of [certificate, handlerClient]) source.close()
    await client.close()
  }
  return { stop }
}

async function connect({ kubeconfig }: Options): Promise<KubeClient> {
  const config = await loadConfig(kubeconfig ? { kubeconfig } : {})
  return createClient(config, { userAgent: 'virt-api' })
}

interface Certificates {
  readonly server: CertificateSource
  readonly handlerClient: CertificateSource
}

async function followCertificates(values: Options, log: Logger): Promise<Certificates> {
  const [server, handlerClient] = await Promise.all([
    watchCertificate({ certFile: values.tlsCertFile, keyFile: values.tlsKeyFile, log }),
    watchCertificate({ certFile: values.handlerCertFile, keyFile: values.handlerKeyFile, caFile: values.caFile, log }),
  ])
  return { server, handlerClient }
}

/** Now, in whole seconds as Kubernetes writes times. */
const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z')
