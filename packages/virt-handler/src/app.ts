import { kubeVirts, label, type KubeVirt, type VirtualMachineInstance, virtualMachineInstances } from '@kubevirt-ts/api'
import { EventRecorder, Informer, WorkQueue } from '@kubevirt-ts/controller'
import { createClient, type KubeClient, loadConfig } from '@kubevirt-ts/kubecli'
import {
  createRegistry,
  profilerRoutes,
  type Registry,
  type Logger,
  type OptionValues,
  type RunningService,
  serveEndpoints,
  setVerbosity,
  VirtError,
  watchCertificate,
} from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { healthReply } from './health.ts'
import { emptyDirPath } from './host/isolation/pod-folder.ts'
import { imageMounts, type MountRecord } from './host/container-disk/images.ts'
import { pluggedVolumes, type PlugRecord } from './host/hotplug/plugged-volumes.ts'
import { virtDevices } from './host/mounts/virt-devices.ts'
import { type VirtChroot, virtChroot } from './host/mounts/virt-chroot.ts'
import { type NetworkRecord, setUpNetwork, tearDownCard } from './host/network/phase1.ts'
import { placeholderType } from './host/network/placeholder.ts'
import { openStateFolder } from './host/state-folder.ts'
import { DomainCache } from './launcher-clients/domain-cache.ts'
import { claimedGuest } from './launcher-clients/claim.ts'
import type { GhostRecord } from './launcher-clients/ghost-record.ts'
import { type Guest, vmiKey } from './launcher-clients/guest.ts'
import { LauncherClients } from './launcher-clients/launcher-clients.ts'
import { Turns } from './launcher-clients/turns.ts'
import { launcherEvent } from './launcher-clients/launcher-event.ts'
import { offerGuestMetrics } from './metrics/collect.ts'
import { startDeviceManager } from './node/device-manager/index.ts'
import { containerDiskDevice, hostDevices } from './node/device-manager/plugin-device.ts'
import { type HeartbeatOptions, mark, startHeartbeat } from './node/heartbeat.ts'
import { installContainerDisk } from './node/install-container-disk.ts'
import { keepLabelled } from './node/labeller/index.ts'
import type { options } from './options.ts'
import { serveConsoles } from './rest/console-server.ts'
import { migrationAddress } from './migration/address.ts'
import { runMigrations, wakeMigrations } from './migration/controller.ts'
import type { MigrationDeps } from './migration/deps.ts'
import { movesEnded } from './migration/moves-ended.ts'
import type { Encryption } from './migration/proxy/encryption.ts'
import { runVmController, wakeGuests } from './vm/controller.ts'
import type { GuestNetworks } from './vm/deps.ts'
import { EarlyStarts } from './vm/early-start/early-starts.ts'
import { watchArrivals } from './vm/early-start/arrivals.ts'
import { reconciler } from './vm/reconcile.ts'

export type HandlerOptions = OptionValues<typeof options>

const component = 'virt-handler'
const clientLimits = { qps: 50, burst: 100 }

/**
 * Joins the parts of the node's agent and starts them. Stopping it, or killing it, does not touch a guest: everything
 * it must know of guests is on disk, and launchers go on without it.
 */
export async function startVirtHandler(
  values: HandlerOptions,
  log: Logger,
  signal: AbortSignal,
): Promise<RunningService> {
  const node = nodeName(values)
  const config = await loadConfig()
  const client = createClient(config, { userAgent: component, ...clientLimits })
  const registry = createRegistry(component)
  const devices = await startDevices(values, log)
  const heartbeatOptions: HeartbeatOptions = {
    client,
    node,
    kubeletRoot: values.kubeletRoot,
    ready: () => devices.initialised() && vmis.hasSynced,
    log,
  }
  await mark(heartbeatOptions, false)

  const vmis = new Informer({
    client,
    resource: virtualMachineInstances,
    labelSelector: `${label.nodeName}=${node}`,
    log,
  })
  const settings = new Informer<KubeVirt>({ client, resource: kubeVirts, namespace: config.namespace, log })
  const clusterConfig = new ClusterConfig({
    kubeVirts: settings,
    onInvalid: (error) => log.warn({ error }, 'the configuration cannot be used; the last one stays'),
  })
  clusterConfig.onChange(({ developerConfiguration }) =>
    setVerbosity(log, developerConfiguration?.logVerbosity?.virtHandler ?? values.verbosity),
  )
  const queue = new WorkQueue({ name: component, registry })
  const targets = new Informer({
    client,
    resource: virtualMachineInstances,
    labelSelector: `${label.migrationTargetNodeName}=${node}`,
    log,
  })
  const migrationCertificate = await watchCertificate({
    certFile: values.migrationCertFile,
    keyFile: values.migrationKeyFile,
    caFile: values.caBundleFile,
    log,
  })
  const encryption: Encryption = {
    certificate: migrationCertificate,
    roles: values.migrationCnTypes,
    externallyManaged: values.externallyManaged,
  }
  // Guests on their way are looked after until they have arrived: this outlives the wish to stop.
  const work = new AbortController()
  const guests = await startGuests({
    values,
    client,
    node,
    vmis,
    targets,
    queue,
    encryption,
    clusterConfig,
    registry,
    log,
    isStopping: () => signal.aborted,
    signal: work.signal,
  })
  offerGuestMetrics({ registry, node, launchers: () => guests.launchers.all(), log })
  for (const informer of [vmis, targets, settings]) informer.start(work.signal)

  const certificate = await watchCertificate({
    certFile: values.tlsCertFile,
    keyFile: values.tlsKeyFile,
    caFile: values.caBundleFile,
    log,
  })
  const host = values.podIpAddress?.includes(':') ? '::' : '0.0.0.0'
  const health = () => healthReply(client.lastContact, Date.now(), clusterConfig.resourceVersion())
  const isProfilerOn = () => clusterConfig.configuration().developerConfiguration?.clusterProfiler === true
  const routes = { '/healthz': health, ...profilerRoutes(isProfilerOn) }
  const endpoints = await serveEndpoints({ host, port: values.port, certificate, log, metrics: registry, routes })
  const consoles = await serveConsoles({
    host,
    port: values.consoleServerPort,
    certificate,
    vmis,
    launchers: guests.launchers,
    podsFolder: values.podsMount,
    log,
  })
  const nodeEvents = new EventRecorder({ client, component, host: node, log })
  const labelling = values.enableNodeLabeller
    ? keepLabelled(
        {
          client,
          node,
          folder: values.nodeLabellerDir,
          obsolete: () => clusterConfig.configuration().obsoleteCPUModels ?? {},
          warn: (subject, reason, message) => nodeEvents.event(subject, 'Warning', reason, message),
          log,
        },
        signal,
      )
    : Promise.resolve()
  const heartbeat = startHeartbeat(heartbeatOptions)
  log.info({ node, port: endpoints.port, consolePort: consoles.port }, 'virt-handler is up')

  return {
    async stop() {
      await heartbeat.stop()
      await labelling
      await nodeEvents.flush()
      const left = await guests.movesEnded(Math.max(0, values.gracefulShutdownSeconds - restOfStopSeconds) * 1_000)
      if (left > 0) log.warn({ left }, 'guests are still on their way; their moves end here')
      work.abort()
      await consoles.close()
      await guests.stop()
      await devices.stop()
      await endpoints.close()
      certificate.close()
      migrationCertificate.close()
      await client.close()
    },
  }
}

/** What is kept of the time for a stop when it has waited for moves. */
const restOfStopSeconds = 15

function nodeName({ hostnameOverride, podIpAddress }: HandlerOptions): string {
  if (hostnameOverride === undefined || hostnameOverride === '')
    throw new VirtError('NodeNameMissing', 'the name of this node is not known; give --hostname-override or NODE_NAME')
  if (podIpAddress === undefined || podIpAddress === '')
    throw new VirtError('PodAddressMissing', 'the address of this pod is not known; give --pod-ip-address or MY_POD_IP')
  return hostnameOverride
}

async function startDevices({ shareDir, kubeletRoot, maxDevices }: HandlerOptions, log: Logger) {
  const programs = join(shareDir, 'bin')
  const devices = await hostDevices()
  if (await installContainerDisk(programs)) devices.push(containerDiskDevice(programs))
  else log.warn({ programs }, 'this image has no container-disk program; pods without init containers cannot run here')
  return startDeviceManager({ devices, folder: join(kubeletRoot, 'device-plugins'), maxDevices, log })
}

interface GuestParts {
  readonly values: HandlerOptions
  readonly client: KubeClient
  readonly node: string
  readonly vmis: Informer<VirtualMachineInstance>
  readonly targets: Informer<VirtualMachineInstance>
  readonly queue: WorkQueue
  readonly encryption: Encryption
  readonly registry: Registry
  readonly clusterConfig: ClusterConfig
  readonly log: Logger
  readonly isStopping: () => boolean
  /** Ends the work on guests. */
  readonly signal: AbortSignal
}

/** The controller of this node's guests with all that it holds; guests of an earlier run are taken up first. */
async function startGuests(parts: GuestParts) {
  const { values, client, node, vmis, targets, queue, clusterConfig, log, signal } = parts
  const records = (name: string): string => join(values.privateDir, name)
  const events = new EventRecorder({ client, component, host: node, log })
  const tell = (guest: Guest, event: unknown): void => {
    const vmi = vmis.get(vmiKey(guest))
    const told = launcherEvent(guest, event)
    if (vmi !== undefined && told !== undefined) events.event(vmi, told.type, told.reason, told.message)
  }
  const complain = (guest: Guest): void => {
    const vmi = vmis.get(vmiKey(guest))
    const message = 'The launcher runs but does not answer; its guest is left alone.'
    log.warn({ ...guest }, message)
    if (vmi !== undefined) events.event(vmi, 'Warning', 'LauncherUnresponsive', message)
  }
  const migrationQueue = new WorkQueue({ name: `${component}-migrations`, registry: parts.registry })
  const wakeGuest = wakeGuests({ vmis, queue })
  const wakeMigration = wakeMigrations({ vmis, targets }, migrationQueue)
  const wake = (guest: Guest): void => {
    wakeGuest(guest)
    wakeMigration(guest)
  }
  // What is left of a guest that did not come, or that has left, goes when its VMI says so.
  targets.on({ updated: (_, vmi) => wakeGuest(guestOf(vmi)), deleted: (vmi) => wakeGuest(guestOf(vmi)) })
  const domains = new DomainCache(wake)
  const launchers = new LauncherClients(
    {
      records: await openStateFolder<GhostRecord>(records('ghost-records')),
      podsFolder: values.podsMount,
      domains,
      onChange: wake,
      onEvent: tell,
      onSilent: complain,
      log,
    },
    { resyncMs: values.domainResyncPeriodSeconds * 1_000, watchdogMs: values.watchdogTimeout },
  )
  const helper = virtChroot()
  const images = imageMounts({
    records: await openStateFolder<MountRecord>(records('container-disk-mount-state')),
    virtChroot: helper,
    podsFolder: values.podsMount,
    nodePodsFolder: values.kubeletPodsDir,
  })
  const plugs = pluggedVolumes({
    records: await openStateFolder<PlugRecord>(records('hotplug-volume-mount-state')),
    virtChroot: helper,
    virtDevices: virtDevices(),
    podsFolder: values.podsMount,
    nodePodsFolder: values.kubeletPodsDir,
  })
  const networks = await guestNetworks(records('network-state'), helper, values.podsMount)
  for (const guest of await launchers.restore()) wake(guest)
  const earlyStarts = new EarlyStarts({
    node,
    client,
    vmis,
    launchers,
    claim: (podUid) => claimedGuest(values.podsMount, podUid),
    onStart: wakeGuest,
    now: Date.now,
  })
  const arrivals = watchArrivals({ podsFolder: values.podsMount, vmis, earlyStarts, log }, signal)
  const deps: MigrationDeps = {
    node,
    podsFolder: values.podsMount,
    client,
    vmis,
    launchers,
    stays: new Turns(),
    earlyStarts,
    domains,
    images,
    plugs,
    networks,
    virtChroot: helper,
    configuration: () => clusterConfig.configuration(),
    events,
    log,
    now: Date.now,
    targets,
    address: migrationAddress(values.podIpAddress ?? ''),
    encryption: parts.encryption,
    targetProxies: new Map(),
    sourceProxies: new Map(),
    interrupted: new Set(),
    isStopping: parts.isStopping,
  }
  const working = Promise.all([
    arrivals,
    runVmController({ vmis, queue, log }, reconciler(deps), signal),
    runMigrations({ vmis, targets }, migrationQueue, deps, signal),
  ])
  return {
    launchers,
    movesEnded: (timeoutMs: number) => movesEnded(deps, timeoutMs),
    async stop() {
      await working
      await launchers.close()
      await events.flush()
    },
  }
}

const guestOf = ({ metadata }: VirtualMachineInstance): Guest => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

async function guestNetworks(folder: string, helper: VirtChroot, podsFolder: string): Promise<GuestNetworks> {
  const records = await openStateFolder<NetworkRecord>(folder)
  const placeholder = await placeholderType()
  const tools = { records, virtChroot: helper, placeholder, ipv6: existsSync('/proc/sys/net/ipv6') }
  return {
    setUp: ({ podUid, ...phase }) =>
      setUpNetwork(tools, { ...phase, privateFolder: emptyDirPath(podsFolder, podUid, 'private') }),
    tearDown: (where, card) => tearDownCard(tools, where, card),
    read: (uid) => records.read(uid),
    remove: (uid) => records.remove(uid),
  }
}
