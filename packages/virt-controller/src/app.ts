import { noteStep, restClientMetrics, runLeaderElection } from '@kubevirt-ts/controller'
import type { Leadership } from '@kubevirt-ts/controller'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import type { RequestRecord } from '@kubevirt-ts/kubecli'
import { VirtError, createRegistry, profilerRoutes, serveEndpoints, watchCertificate } from '@kubevirt-ts/service'
import type { Logger, Registry, RunningService } from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import { firstOf, secretCertificate } from './certificates/secret-certificate.ts'
import { followConfiguration } from './follow-configuration.ts'
import { healthRoutes } from './health.ts'
import { createInformers } from './informers.ts'
import { lead } from './leader/index.ts'
import { registerCacheMetrics } from './metrics/register.ts'
import { createMetrics } from './metrics/transitions.ts'
import { syncedKeysOf, unservedFlags } from './options.ts'
import type { Options } from './options.ts'

const userAgent = 'virt-controller'
const lease = 'virt-controller'
/** Of the controllers' requests, and of the election's beside them; both the original's. */
const limit = { qps: 200, burst: 400 }

/** Creates and joins the parts of the service, in the order in which they start. */
export async function start(options: Options, log: Logger, signal: AbortSignal): Promise<RunningService> {
  if (options.resourceLock !== 'leases')
    throw new VirtError('InvalidLeaderElection', `leaders hold leases, not ${options.resourceLock}`)
  for (const flag of unservedFlags(options))
    log.warn({ flag }, 'flag has no effect: what it is about is not served yet')
  const clusterConfig = await loadConfig(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig })
  let leadership: Leadership | undefined
  const restored = new AbortController()
  const beforeWrite = (): void => {
    restored.signal.throwIfAborted()
    if (leadership?.isHeld() === false)
      throw new VirtError('LeadershipLost', "leadership ended, this write is the next leader's")
  }
  const registry = createRegistry('virt-controller')
  const onRequest = requestObserver(registry)
  const client = createClient(clusterConfig, { userAgent, ...limit, beforeWrite, onRequest })
  // Renewals must not wait behind the controllers' requests.
  const electionClient = createClient(clusterConfig, {
    userAgent: `${userAgent}/leader-election`,
    ...limit,
    onRequest,
  })
  const informers = createInformers(client, options.namespace, log, syncedKeysOf(options))
  const onInvalid = (error: Error): void =>
    log.error({ error }, 'KubeVirt configuration is invalid, the last valid one stays')
  const config = new ClusterConfig({ kubeVirts: informers.kubeVirts, namespace: options.namespace, onInvalid })
  followConfiguration(config, client, log, { verbosity: options.verbosity, limit })

  const metrics = createMetrics(registry)
  registerCacheMetrics(registry, informers, config, options.launcherImage)
  const files = await watchCertificate({ certFile: options.certFile, keyFile: options.keyFile, log })
  const certificate = firstOf([files, secretCertificate(informers.secrets, 'kubevirt-controller-certs')])
  let leading = false
  const health = { client: electionClient, config, isLeader: () => leading, now: Date.now, startedAt: Date.now() }
  const endpoints = await serveEndpoints({
    host: options.listen,
    port: options.port,
    certificate,
    log,
    metrics: registry,
    routes: { ...healthRoutes(health), ...profilerRoutes(() => isProfilerOn(config)) },
  })

  const work = new AbortController()
  signal.addEventListener('abort', () => work.abort())
  for (const informer of Object.values(informers)) informer.start(work.signal, () => restored.abort(stateWentBack()))
  metrics.ready(true)
  const election = runLeaderElection({
    client: electionClient,
    namespace: options.namespace,
    name: lease,
    identity: options.identity,
    leaseDurationMs: options.leaseDuration,
    renewDeadlineMs: options.renewDeadline,
    retryPeriodMs: options.retryPeriod,
    log,
    signal: work.signal,
    onStarted: async (led, held) => {
      leadership = held
      leading = true
      metrics.leading(true)
      await lead({ client, informers, config, metrics, registry, options, log }, led)
    },
    onStopped: () => {
      leading = false
      metrics.leading(false)
    },
  })
  return {
    done: Promise.race([election, rejected(restored.signal)]),
    stop: async () => {
      work.abort()
      await election.catch((error: unknown) => log.error({ error }, 'leader election ended'))
      await endpoints.close()
      certificate.close()
      await Promise.all([client.close(), electionClient.close()])
    },
  }
}

/**
 * A backup was put back: all that this process knows, in other caches and of its own writes, is of a future that is not
 * to come, and acting on it would bring back what the backup does not have. Only a new process knows nothing of it.
 */
function stateWentBack(): VirtError {
  return new VirtError('StateWentBack', "the API server's state is older than what was seen of it; starting anew")
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

/** Each request is counted, and a step of the key that it was made for. */
function requestObserver(registry: Registry): (record: RequestRecord) => void {
  const count = restClientMetrics(registry)
  return (record) => {
    count(record)
    noteStep(`${record.verb} ${record.resource}`, (record.seconds + record.throttledSeconds) * 1000)
  }
}

function isProfilerOn(config: ClusterConfig): boolean {
  return config.configuration().developerConfiguration?.clusterProfiler === true
}
