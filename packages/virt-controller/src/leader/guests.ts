// Controllers of what runs guests: VMs, VMIs and the sets of both.
import { Expectations } from '@kubevirt-ts/controller'
import { createRenderer, launcherSettings } from '../launcher-pods.ts'
import { skipsBackupHooks } from '../services/template/index.ts'
import { SyncCounts } from '../metrics/syncs.ts'
import { syncedKeysOf } from '../options.ts'
import { OwnWrites } from '../watch/own-writes.ts'
import { Patience } from '../watch/patience.ts'
import { runPoolController, watchPools } from '../watch/pool/controller.ts'
import { runReplicaSetController, watchReplicaSets } from '../watch/replicaset/controller.ts'
import { lowestFrequency } from '../watch/topology/frequencies.ts'
import { runVmController, watchVms } from '../watch/vm/controller.ts'
import { runVmiController, watchVmis } from '../watch/vmi/controller.ts'
import { KubeletComplaints } from '../watch/vmi/kubelet-complaints.ts'
import { PodFates } from '../watch/vmi/pod-fates.ts'
import type { LeaderParts, Shared } from './controller.ts'

export function vm(
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
    synced: syncedKeysOf(options),
    patience: new Patience(),
    now,
    random: Math.random,
  }
  watchVms(informers, work, deps)
  return runVmController(work, options.vmThreads, deps, log.child({ controller: 'vm' }), signal)
}

export function vmi(parts: LeaderParts, { queue, recorder, now }: Shared, signal: AbortSignal): Promise<void> {
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
    synced: syncedKeysOf(options),
    patience: new Patience(),
    fates: new PodFates(),
    complaints: new KubeletComplaints(client, now),
    skipsBackupHooks: () => skipsBackupHooks(config.kubeVirt()),
    syncs,
    now,
  }
  watchVmis(informers, work, deps)
  return runVmiController(work, options.vmiThreads, deps, log.child({ controller: 'vmi' }), signal)
}

export function replicaSet(
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

export function pool(
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
