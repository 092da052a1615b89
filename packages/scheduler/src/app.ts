import { EventRecorder, runLeaderElection } from '@kubevirt-ts/controller'
import { createRegistry, type Logger, type RunningService } from '@kubevirt-ts/service'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { httpExtender } from './extender/http-extender.ts'
import { createInformers, startInformers } from './loop/informers.ts'
import { createLoop, type Loop } from './loop/run-loop.ts'
import type { Options } from './options.ts'
import { plugins as ownPlugins } from './plugins/index.ts'
import type { KnownPlugin } from './profiles/build-frameworks.ts'
import type { SchedulerConfiguration } from './profiles/configuration.ts'
import { loadPlugins } from './profiles/load-plugins.ts'
import { serveSecurely } from './server/endpoints.ts'
import { certificateOf, clientOf, configurationOf, name } from './startup.ts'

/** Joins the scheduler's parts. Rejects before anything is scheduled when the configuration cannot be used. */
export async function start(options: Options, log: Logger, signal: AbortSignal): Promise<RunningService> {
  const plugins = await loadPlugins(ownPlugins, options.plugin)
  const configuration = await configurationOf(options, [...plugins.keys()])
  for (const warning of configuration.warnings) log.warn(warning)
  const leadership: { isHeld: () => boolean } = { isHeld: () => true }
  const client = await clientOf(options, configuration, leadership)
  const informers = createInformers(client, log)
  const registry = createRegistry(name)
  const events = new EventRecorder({ client, component: name, log })
  const pluginTimeoutMs = options.pluginTimeout
  const extenders = await Promise.all(configuration.extenders.map(httpExtender))
  const loop = createLoop({
    client,
    configuration,
    plugins,
    pluginTimeoutMs,
    informers,
    events,
    registry,
    extenders,
    log,
  })
  const state = { isReady: false }
  const certificate = await certificateOf(options, log)
  const isReady = () => state.isReady
  const endpoints = await serveSecurely({ options, configuration, client, registry, certificate, isReady, log })
  const done = run()
  return {
    done,
    stop: async () => {
      await done.catch(() => undefined)
      await events.flush()
      await endpoints.close()
      certificate.close()
      await client.close()
    },
  }

  async function run(): Promise<void> {
    const withVirtualMachines = asksForVirtualMachines(loop, plugins)
    const synced = startInformers(informers, { signal, withVirtualMachines })
    await Promise.race([synced, aborted(signal)])
    if (signal.aborted) return
    state.isReady = true
    if (!doesElect(options, configuration)) return schedule(signal)
    const { resourceName, resourceNamespace, ...times } = configuration.leaderElection
    await runLeaderElection({
      client,
      namespace: resourceNamespace,
      name: resourceName,
      identity: `${hostname()}_${randomUUID()}`,
      leaseDurationMs: times.leaseDurationMs,
      renewDeadlineMs: times.renewDeadlineMs,
      retryPeriodMs: times.retryPeriodMs,
      onStarted: (leading, held) => {
        leadership.isHeld = () => held.isHeld()
        return schedule(leading)
      },
      log,
      signal,
    })
  }

  async function schedule(until: AbortSignal): Promise<void> {
    log.info({ profiles: [...loop.frameworks.keys()] }, 'scheduling')
    await loop.run(until)
  }
}

/** Beside our own, plugins from outside may want to know the VMs. */
function asksForVirtualMachines({ frameworks }: Loop, plugins: ReadonlyMap<string, KnownPlugin>): boolean {
  const isExternal = [...plugins.values()].some((each) => each.isExternal)
  return isExternal || [...frameworks.values()].some((framework) => framework.plugin('StickyVM') !== undefined)
}

function doesElect({ leaderElect }: Options, { leaderElection }: SchedulerConfiguration): boolean {
  return leaderElect ?? leaderElection.leaderElect
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise
}
