import { kubeVirts, label, type KubeVirt, virtualMachineInstances } from '@kubevirt-ts/api'
import { EventRecorder, Informer, WorkQueue } from '@kubevirt-ts/controller'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import {
  createRegistry,
  profilerRoutes,
  type Logger,
  type OptionValues,
  type RunningService,
  serveEndpoints,
  VirtError,
  watchCertificate,
} from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import { join } from 'node:path'
import { followConfiguration } from './follow-configuration.ts'
import { startGuests } from './guests.ts'
import { healthReply } from './health.ts'
import { offerGuestMetrics } from './metrics/collect.ts'
import type { Encryption } from './migration/proxy/encryption.ts'
import { startDeviceManager } from './node/device-manager/index.ts'
import { containerDiskDevice, deviceNodes } from './node/device-manager/device-nodes.ts'
import { keepPermittedDevices } from './node/device-manager/permitted-devices.ts'
import type { MadeDevice } from './node/device-manager/mediated-types/configure.ts'
import { groupsInUse } from './node/device-manager/mediated-types/groups-in-use.ts'
import { type HeartbeatOptions, mark, startHeartbeat } from './node/heartbeat.ts'
import { installContainerDisk } from './node/install-container-disk.ts'
import { keepMerging } from './node/ksm/index.ts'
import { keepLabelled } from './node/labeller/index.ts'
import type { options } from './options.ts'
import { serveConsoles } from './rest/console-server.ts'
import { shareWithContainers } from './host/selinux/labels.ts'
import { hostSelinux, type Selinux } from './host/selinux/selinux.ts'
import { openStateFolder } from './host/state-folder.ts'
import { vsockDialler } from './host/vsock.ts'

export type HandlerOptions = OptionValues<typeof options>

const component = 'virt-handler'
/** What the host's first process sees; device files that come after this container's start are not in its own /dev. */
const hostRoot = '/proc/1/root'
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
  const selinux = hostSelinux(`${hostRoot}/sys`)
  const devices = await startDevices(values, selinux, log)
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
  followConfiguration(clusterConfig, client, log, { node, verbosity: values.verbosity, limit: clientLimits })
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
    component,
    client,
    node,
    vmis,
    targets,
    queue,
    encryption,
    clusterConfig,
    selinux,
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
  const vsockCertificate = await watchCertificate({ certFile: values.vsockCertFile, keyFile: values.vsockKeyFile, log })
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
    vsock: { dial: vsockDialler(), certificate: vsockCertificate },
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
  const permitting = keepPermittedDevices(
    {
      client,
      node,
      clusterConfig,
      manager: devices,
      hostRoot,
      sysfs: `${hostRoot}/sys`,
      records: await openStateFolder<MadeDevice>(join(values.privateDir, 'mediated-devices')),
      groupsInUse,
      maxDevices: values.maxDevices,
      log,
    },
    signal,
  )
  const merging = keepMerging(
    { client, node, clusterConfig, sysfs: `${hostRoot}/sys`, meminfo: '/proc/meminfo', log },
    signal,
  )
  const heartbeat = startHeartbeat(heartbeatOptions)
  log.info({ node, port: endpoints.port, consolePort: consoles.port }, 'virt-handler is up')

  return {
    async stop() {
      await heartbeat.stop()
      await Promise.all([labelling, permitting, merging])
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
      vsockCertificate.close()
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

async function startDevices({ shareDir, kubeletRoot, maxDevices }: HandlerOptions, selinux: Selinux, log: Logger) {
  const programs = join(shareDir, 'bin')
  const devices = await deviceNodes(maxDevices)
  if (await installContainerDisk(programs)) devices.push(containerDiskDevice(programs, maxDevices))
  else log.warn({ programs }, 'this image has no container-disk program; pods without init containers cannot run here')
  shareWithContainers(selinux, { root: hostRoot, paths: ['dev/net/tun', 'dev/null'] }, log)
  shareWithContainers(selinux, { root: programs, paths: ['.', 'container-disk'] }, log)
  return startDeviceManager({ devices, folder: join(kubeletRoot, 'device-plugins'), log })
}
