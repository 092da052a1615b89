import { EventRecorder, Expectations, WorkQueue } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger, Registry } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import { machineArchitecture } from './architecture.ts'
import { runCertificates, watchCertificates } from './certificates/controller.ts'
import type { Informers } from './informers.ts'
import { createRenderer, launcherSettings } from './launcher-pods.ts'
import { SyncCounts } from './metrics/syncs.ts'
import type { Metrics } from './metrics/transitions.ts'
import type { Options } from './options.ts'
import { runDisruptionBudgetController, watchDisruptionBudgets } from './watch/disruption-budget/controller.ts'
import { runEvacuationController, watchEvacuations } from './watch/evacuation/controller.ts'
import { runKubeVirtController, watchKubeVirts } from './watch/kubevirt/controller.ts'
import { runMigrationController, watchMigrations } from './watch/migration/controller.ts'
import { runNodeController, watchNodes } from './watch/node/controller.ts'
import { OwnWrites } from './watch/own-writes.ts'
import { Patience } from './watch/patience.ts'
import { runPoolController, watchPools } from './watch/pool/controller.ts'
import { runReplicaSetController, watchReplicaSets } from './watch/replicaset/controller.ts'
import { runTopologyUpdater } from './watch/topology/controller.ts'
import { lowestFrequency } from './watch/topology/frequencies.ts'
import { runUnservedController, watchUnserved } from './watch/unserved/controller.ts'
import { unservedKinds } from './watch/unserved/kinds.ts'
import { runVmController, watchVms } from './watch/vm/controller.ts'
import { runVmiController, watchVmis } from './watch/vmi/controller.ts'
import { PodFates } from './watch/vmi/pod-fates.ts'
import { runWorkloadUpdater, watchWorkloads } from './watch/workload-updater/controller.ts'

/** What the leader's controllers are made of. */
export interface LeaderParts {
  readonly client: KubeClient
  readonly informers: Informers
  readonly config: ClusterConfig
  readonly metrics: Metrics
  readonly registry: Registry
  readonly options: Options
  readonly log: Logger
}

/** A controller: its queue, what wakes it, and its workers. */
type Controller = (parts: LeaderParts, shared: Shared, signal: AbortSignal) => Promise<void>

interface Shared {
  readonly queue: (name: string) => WorkQueue
  readonly recorder: (component: string) => EventRecorder
  readonly now: () => Date
}

const controllers: readonly Controller[] = [
  certificates,
  kubeVirt,
  vm,
  vmi,
  node,
  replicaSet,
  pool,
  migration,
  evacuation,
  disruptionBudget,
  workloadUpdater,
  topology,
  unserved,
]

/** Runs every controller until the signal is aborted: leadership ended, or the process stops. */
export async function lead(parts: LeaderParts, signal: AbortSignal): Promise<void> {
  await Promise.all(Object.values(parts.informers).map((informer) => informer.synced))
  if (signal.aborted) return
  const { registry, client, log, options } = parts
  countTransitions(parts, signal)
  const recorders = new Map<string, EventRecorder>()
  const shared: Shared = {
    queue: (name) => new WorkQueue({ name: `virt-controller-${name}`, registry }),
    recorder: (component) => {
      const known = recorders.get(component) ?? new EventRecorder({ client, component, host: options.identity, log })
      recorders.set(component, known)
      return known
    },
    now: () => new Date(),
  }
  await Promise.all(controllers.map((run) => run(parts, shared, signal)))
  await Promise.all([...recorders.values()].map((recorder) => recorder.flush()))
}

/** Every replica sees the changes, the leader counts them. */
function countTransitions({ informers, metrics }: LeaderParts, signal: AbortSignal): void {
  const ends = [
    informers.vmis.on({ updated: metrics.vmiChanged }),
    informers.migrations.on({ updated: metrics.migrationChanged }),
  ]
  signal.addEventListener('abort', () => ends.forEach((end) => end()), { once: true })
}

function certificates(
  { client, informers, config, options, log }: LeaderParts,
  { queue }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('certificates')
  const own = log.child({ controller: 'certificates' })
  const deps = {
    client,
    namespace: options.namespace,
    secrets: informers.secrets,
    configMaps: informers.configMaps,
    targets: () => ({
      apiServices: informers.apiServices.list(),
      mutating: informers.mutating.list(),
      validating: informers.validating.list(),
    }),
    strategy: () => config.kubeVirt()?.spec.certificateRotateStrategy,
    now: Date.now,
    log: own,
  }
  watchCertificates(informers, work)
  return runCertificates(work, deps, own, signal)
}

function kubeVirt(
  { client, informers, options, log }: LeaderParts,
  { queue, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('kubevirt')
  const { kubeVirts, deployments, daemonSets, vmis } = informers
  const architecture = machineArchitecture()
  const deps = {
    client,
    kubeVirts,
    deployments,
    daemonSets,
    vmis,
    launcherImage: options.launcherImage,
    architecture,
    now,
  }
  watchKubeVirts(informers, work)
  return runKubeVirtController(work, deps, log.child({ controller: 'kubevirt' }), signal)
}

function vm(
  { client, informers, config, options, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('vm')
  const deps = {
    client,
    vms: informers.vms,
    vmis: informers.vmis,
    revisions: informers.revisions,
    claims: informers.claims,
    storageClasses: informers.storageClasses,
    dataVolumes: informers.dataVolumes,
    configuration: () => config.configuration(),
    events: recorder('virtualmachine-controller'),
    expectations: new Expectations(),
    ownWrites: new OwnWrites(),
    patience: new Patience(),
    now,
    random: Math.random,
  }
  watchVms(informers, work, deps)
  return runVmController(work, options.vmThreads, deps, log.child({ controller: 'vm' }), signal)
}

function vmi(parts: LeaderParts, { queue, recorder, now }: Shared, signal: AbortSignal): Promise<void> {
  const { client, informers, config, options, log } = parts
  const work = queue('vmi')
  const syncs = new SyncCounts()
  syncs.register(parts.registry)
  const deps = {
    client,
    vmis: informers.vmis,
    vms: informers.vms,
    pods: informers.pods,
    attachments: informers.attachments,
    claims: informers.claims,
    storageClasses: informers.storageClasses,
    dataVolumes: informers.dataVolumes,
    configuration: () => config.configuration(),
    settings: launcherSettings(options),
    lowestFrequency: () => lowestFrequency(informers.nodes.list(), config.configuration()),
    render: createRenderer(parts),
    launcherImage: options.launcherImage,
    events: recorder('virtualmachine-controller'),
    expectations: new Expectations(),
    ownWrites: new OwnWrites(),
    podWrites: new OwnWrites(),
    patience: new Patience(),
    fates: new PodFates(),
    syncs,
    now,
  }
  watchVmis(informers, work, deps)
  return runVmiController(work, options.vmiThreads, deps, log.child({ controller: 'vmi' }), signal)
}

function node(
  { client, informers, options, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('node')
  const { nodes, vmis, pods } = informers
  watchNodes(nodes, vmis, work)
  const deps = { client, nodes, vmis, pods, events: recorder('node-controller'), now }
  return runNodeController(work, options.nodeThreads, deps, log.child({ controller: 'node' }), signal)
}

function replicaSet(
  { client, informers, options, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('replicaset')
  const deps = {
    client,
    replicaSets: informers.replicaSets,
    vmis: informers.vmis,
    events: recorder('virtualmachinereplicaset-controller'),
    expectations: new Expectations(),
    ownWrites: new OwnWrites(),
    now,
  }
  watchReplicaSets(informers, work, deps)
  return runReplicaSetController(work, options.replicaSetThreads, deps, log.child({ controller: 'replicaset' }), signal)
}

function pool(
  { client, informers, options, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('pool')
  const deps = {
    client,
    pools: informers.pools,
    vms: informers.vms,
    vmis: informers.vmis,
    revisions: informers.revisions,
    events: recorder('virtualmachinepool-controller'),
    expectations: new Expectations(),
    ownWrites: new OwnWrites(),
    now,
    random: Math.random,
  }
  watchPools(informers, work, deps)
  return runPoolController(work, options.poolThreads, deps, log.child({ controller: 'pool' }), signal)
}

function migration(parts: LeaderParts, { queue, recorder, now }: Shared, signal: AbortSignal): Promise<void> {
  const { client, informers, config, options, log } = parts
  const work = queue('migration')
  const deps = {
    client,
    migrations: informers.migrations,
    vmis: informers.vmis,
    pods: informers.pods,
    attachments: informers.attachments,
    claims: informers.claims,
    storageClasses: informers.storageClasses,
    dataVolumes: informers.dataVolumes,
    settings: launcherSettings(options),
    nodes: informers.nodes,
    namespaceLabels: (namespace: string) => informers.namespaces.get(namespace)?.metadata.labels ?? {},
    configuration: () => config.configuration(),
    render: createRenderer(parts),
    events: recorder('virtualmachine-controller'),
    expectations: new Expectations(),
    ownWrites: new OwnWrites(),
    vmiWrites: new OwnWrites(),
    started: new Set<string>(),
    now,
  }
  watchMigrations(informers, work, deps)
  return runMigrationController(work, options.migrationThreads, deps, log.child({ controller: 'migration' }), signal)
}

function evacuation(
  { client, informers, config, options, log }: LeaderParts,
  { queue, recorder }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('evacuation')
  const { nodes, vmis, migrations, pods } = informers
  const deps = {
    client,
    nodes,
    vmis,
    migrations,
    pods,
    configuration: () => config.configuration(),
    events: recorder('evacuation-controller'),
    expectations: new Expectations(),
  }
  watchEvacuations(informers, work, deps)
  return runEvacuationController(work, options.evacuationThreads, deps, log.child({ controller: 'evacuation' }), signal)
}

function disruptionBudget(
  { client, informers, options, log }: LeaderParts,
  { queue, recorder }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('disruption-budget')
  const { budgets, vmis } = informers
  const deps = { client, budgets, vmis, events: recorder('disruptionbudget-controller') }
  watchDisruptionBudgets(budgets, work)
  const own = log.child({ controller: 'disruption-budget' })
  return runDisruptionBudgetController(work, options.disruptionBudgetThreads, deps, own, signal)
}

function workloadUpdater(
  { client, informers, config, options, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('workload-update')
  const { vmis, migrations, pods } = informers
  const deps = {
    client,
    kubeVirt: () => config.kubeVirt(),
    vmis,
    migrations,
    pods,
    configuration: () => config.configuration(),
    launcherImage: options.launcherImage,
    events: recorder('workload-update-controller'),
    expectations: new Expectations(),
    lastEviction: { at: 0 },
    now,
  }
  watchWorkloads(informers, work, deps)
  return runWorkloadUpdater(work, deps, log.child({ controller: 'workload-updater' }), signal)
}

function unserved(
  { client, informers, log }: LeaderParts,
  { queue, recorder, now }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const work = queue('unserved')
  const requests = Object.fromEntries(
    unservedKinds.map(({ resource, informer }) => [resource.plural, informers[informer]]),
  )
  const deps = { client, requests, events: recorder('virtualmachine-controller'), now }
  watchUnserved(deps, work)
  return runUnservedController(work, deps, log.child({ controller: 'unserved' }), signal)
}

function topology(
  { client, informers, config, options, log }: LeaderParts,
  { queue }: Shared,
  signal: AbortSignal,
): Promise<void> {
  const { nodes, vmis } = informers
  const configuration = () => config.configuration()
  const deps = { client, nodes, vmis, configuration, periodMs: options.topologyPeriod, random: Math.random }
  return runTopologyUpdater(queue('node-topology'), deps, log.child({ controller: 'topology' }), signal)
}
