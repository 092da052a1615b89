import { mkdir, rename } from 'node:fs/promises'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { migrationProxyFolder, serveCmd } from '@kubevirt-ts/handler-launcher-com'
import { domainName, type Domain } from '@kubevirt-ts/domain'
import { Lane, VirtError, type Logger } from '@kubevirt-ts/service'
import { cmdHandlers } from './cmd-server/handlers.ts'
import { openLibvirt } from './daemons/libvirt-access.ts'
import { startLibvirtDaemon } from './daemons/libvirt-daemon.ts'
import { collectHooks } from './hooks/collect.ts'
import { hooksOf } from './hooks/index.ts'
import { guestProcess } from './monitor/guest-process.ts'
import { boundSerialLog } from './monitor/serial-log.ts'
import { networkPhase2 } from './network/phase2.ts'
import { connectNotifier } from './notify-client/domain-notifier.ts'
import type { LauncherOptions } from './options.ts'
import { placesOf, type Places } from './places.ts'
import { injectCredentials } from './virtwrap/agent/inject.ts'
import { pollAgent } from './virtwrap/agent/poll.ts'
import { reportDomainEvents, type DomainEvents } from './virtwrap/domain-events.ts'
import { downwardMetrics } from './virtwrap/downward-metrics/index.ts'
import type { Launcher, LauncherState } from './virtwrap/launcher.ts'
import { hasFailedToArrive } from './virtwrap/migration/arrival.ts'
import { kill } from './virtwrap/operations/kill.ts'
import { markGracefulShutdown } from './virtwrap/operations/shutdown.ts'

/** Where hook sidecars listen, each below a folder of its own. */
const hookSockets = '/var/run/kubevirt-hooks'
/** How long virt-handler has to take note of the guest's end and to delete the domain. */
const farewellMs = 15_000

/**
 * Runs one guest from its start to its end. Resolves when the guest is gone and virt-handler knows; rejects when it
 * never started. The signal asks for the guest's graceful shutdown.
 */
export async function runLauncher(options: LauncherOptions, log: Logger, stop: AbortSignal): Promise<void> {
  if (options.simulateCrash) throw new VirtError('SimulatedCrash', 'ends at once because of --simulate-crash')
  const places = placesOf(options, process.env, process.getuid?.() === 0)
  await makeFolders(places, options)
  const sidecars = collectHooks(hookSockets, options.hookSidecars, options.qemuTimeout)
  const hooks = hooksOf(sidecars, log)
  const daemon = await startLibvirtDaemon({
    places,
    log,
    logFilters: options.libvirtLogFilters,
    sharedFilesystems: process.env.SHARED_FILESYSTEM_PATHS?.split(':').filter(Boolean) ?? [],
  })
  const notifier = connectNotifier(places.notifySocket, log)
  const network = networkPhase2(log, options.privateDir)
  const wake: { events?: DomainEvents } = {}
  const libvirt = await openLibvirt({
    uri: daemon.uri,
    domainName: domainName(options.namespace, options.name),
    log,
    onEvent: (event) => wake.events?.wake(event),
    onReconnect: () => wake.events?.wake(),
  })
  const onFacts = (): void => wake.events?.wake()
  const state: LauncherState = { pausedByUser: false, facts: {}, agent: {} }
  const follow = (vmi: VirtualMachineInstance): void => credentials.follow(vmi)
  const tellMetrics = (vmi: VirtualMachineInstance): void => metrics.follow(vmi)
  const base = { options, places, log, libvirt, changes: new Lane(), network, hooks, state, onFacts }
  const launcher: Launcher = { ...base, credentials: { follow }, downwardMetrics: { follow: tellMetrics } }
  const metrics = downwardMetrics(launcher)
  const agent = pollAgent(launcher, onFacts)
  const credentials = injectCredentials(launcher)
  const events = reportDomainEvents(launcher, notifier, log, (domain) => {
    agent.reachable(isReachable(domain))
    credentials.reachable(isReachable(domain))
  })
  wake.events = events
  await sidecars
  const server = await serveCmd(places.commandInitSocket, cmdHandlers(launcher), { holdsEarlyGuests: true })
  await rename(places.commandInitSocket, places.commandSocket)
  log.info({ socket: places.commandSocket }, 'ready for commands')
  try {
    if (await started(launcher, events, stop)) {
      await guestLife(launcher, events, stop)
      await notifier.delivered(farewellMs)
      await farewell(events)
      await notifier.delivered(farewellMs)
    }
  } finally {
    await server.close()
    agent.close()
    credentials.close()
    metrics.close()
    await events.end()
    notifier.close()
    network.close()
    await hooks.shutdown()
    await libvirt.close()
    await daemon.stop()
  }
}

/** A guest that stands still does not answer. */
function isReachable(domain: Domain | undefined): boolean {
  return domain?.status.status === 'Running' && domain.status.agentConnected === true
}

async function makeFolders(
  { guest, runtime, config, cache, commandSocket }: Places,
  { shareDir }: LauncherOptions,
): Promise<void> {
  const folders = [
    guest.consoles,
    guest.containerDisks,
    join(guest.ephemeralDisks, 'disk-data'),
    guest.emptyDisks,
    guest.cloudInit,
    guest.vmiDisks,
    guest.hotplugDisks,
    guest.virtiofs,
    shareDir,
    join(shareDir, migrationProxyFolder),
    dirname(commandSocket),
    join(runtime, 'libvirt'),
    join(config, 'libvirt'),
    join(cache, 'libvirt'),
  ]
  for (const folder of folders) await mkdir(folder, { recursive: true })
}

/** Waits for the guest's end; in between a signal makes it shut down. */
async function guestLife(launcher: Launcher, events: DomainEvents, stop: AbortSignal): Promise<void> {
  const { places, log } = launcher
  const endWatch = boundSerialLog(places.serialLog)
  const onStop = (): void =>
    void shutDownGracefully(launcher).catch((error: unknown) =>
      log.error({ error }, 'the guest could not be asked to shut down'),
    )
  if (stop.aborted) onStop()
  else stop.addEventListener('abort', onStop, { once: true })
  const shutoff = events.next(({ type, domain }) => type === 'Deleted' || domain.status.status === 'Shutoff')
  await guestProcess(places.qemuPidFile).gone(shutoff)
  endWatch()
  log.info('the guest is gone')
  events.wake()
  if (hasFailedToArrive(launcher.state)) await remember(launcher, stop)
}

/** How long a target tells whose guest did not come; virt-controller deletes its pod as soon as nobody has to know. */
const rememberMs = 600_000

/** That the guest never ran here may be what its source waits to hear, from an agent that is not there at the moment. */
async function remember({ log }: Launcher, stop: AbortSignal): Promise<void> {
  log.info('the guest did not come; that is told until the pod is deleted')
  const late = AbortSignal.timeout(rememberMs)
  if (!stop.aborted) await once(AbortSignal.any([stop, late]), 'abort')
}

/** False when a signal came before there was a guest. Throws when none comes in time. */
async function started({ options, log }: Launcher, events: DomainEvents, stop: AbortSignal): Promise<boolean> {
  const running = events.next(({ domain }) => domain.status.status === 'Running' || domain.status.status === 'Paused')
  const { promise: early, resolve } = Promise.withResolvers<'stopped' | 'late'>()
  const late = setTimeout(() => resolve('late'), options.qemuTimeout)
  if (stop.aborted) resolve('stopped')
  stop.addEventListener('abort', () => resolve('stopped'), { once: true })
  const outcome = await Promise.race([running, early])
  clearTimeout(late)
  if (outcome === 'late')
    throw new VirtError('GuestNotStarted', `no guest was started within ${options.qemuTimeout / 1000} s`)
  if (outcome === 'stopped') log.info('stopped before a guest was started')
  return outcome !== 'stopped'
}

// virt-handler sees the mark and shuts the guest down; when it does not, or the guest does not, the time decides.
async function shutDownGracefully(launcher: Launcher): Promise<void> {
  const { options, log, changes } = launcher
  log.info({ seconds: options.gracePeriodSeconds }, 'asked to stop: the guest has its grace period to shut down')
  setTimeout(
    () => void kill(launcher).catch((error: unknown) => log.error({ error }, 'the guest could not be killed')),
    options.gracePeriodSeconds * 1_000,
  ).unref()
  await changes.run(() => markGracefulShutdown(launcher))
}

/** virt-handler deletes the domain when it has seen its end. */
async function farewell(events: DomainEvents): Promise<void> {
  const deleted = events.next(({ type }) => type === 'Deleted')
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, farewellMs)
  await Promise.race([deleted, late])
  clearTimeout(timer)
}
