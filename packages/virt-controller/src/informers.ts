import {
  annotation,
  apiServices,
  configMaps,
  controllerRevisions,
  daemonSets,
  dataVolumes,
  deployments,
  kubeVirts,
  mutatingWebhookConfigurations,
  namespaces,
  networkAttachmentDefinitions,
  nodes,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  resourceQuotas,
  routes,
  secrets,
  serviceMonitors,
  storageClasses,
  validatingWebhookConfigurations,
  virtualMachineClones,
  virtualMachineExports,
  virtualMachineInstanceMigrations,
  virtualMachineInstanceReplicaSets,
  virtualMachineInstances,
  virtualMachinePools,
  virtualMachineRestores,
  virtualMachineSnapshots,
  virtualMachines,
  volumeSnapshots,
} from '@kubevirt-ts/api'
import type { KubeObject, Node, Pod, ResourceType } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import type { InformerOptions } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { isBackupHook } from './services/template/index.ts'
import { launcherUidOf } from './watch/attachments/of-launcher.ts'
import { vmiKeyOf } from './watch/migration/controller.ts'
import { nodeOf } from './watch/node/controller.ts'
import { stateOf } from './watch/vmi/state-claim.ts'
import { poolOf, poolUidOf } from './watch/pool/controller.ts'
import { replicaSetOf } from './watch/replicaset/controller.ts'
import { syncedKeys } from './watch/synced-metadata.ts'
import type { SyncedKeys } from './watch/synced-metadata.ts'
import { claimsOf as claimsOfVm, vmUidOf } from './watch/vm/controller.ts'
import { networkStatus } from './watch/vmi/pod-networks.ts'
import { claimsOf, guestUidOf, vmiUidOf } from './watch/vmi/controller.ts'

export type Informers = ReturnType<typeof createInformers>

/** Everything that virt-controller reads, each collection once; nothing is started yet. */
export function createInformers(client: KubeClient, namespace: string, log: Logger, synced: SyncedKeys = syncedKeys()) {
  const of = <T extends KubeObject>(
    resource: ResourceType<T>,
    options: Omit<InformerOptions<T>, 'client' | 'resource' | 'log'> = {},
  ): Informer<T> => new Informer({ client, resource, log, ...options })
  return {
    kubeVirts: of(kubeVirts, { namespace }),
    vms: of(virtualMachines, { indexers: { byClaim: claimsOfVm, byPool: poolOf } }),
    budgets: of(podDisruptionBudgets, { metadataOnly: true }),
    migrations: of(virtualMachineInstanceMigrations, { indexers: { byVmi: vmiKeyOf } }),
    pools: of(virtualMachinePools),
    vmis: of(virtualMachineInstances, {
      indexers: { byClaim: claimsOf, byNode: nodeOf, byReplicaSet: replicaSetOf },
    }),
    replicaSets: of(virtualMachineInstanceReplicaSets),
    pods: of(pods, {
      labelSelector: 'kubevirt.io=virt-launcher',
      indexers: { byVmiUid: vmiUidOf },
      trim: (pod) => trimPod(pod, synced),
    }),
    attachments: of(pods, {
      labelSelector: 'kubevirt.io=hotplug-disk',
      indexers: { byLauncherUid: launcherUidOf, byGuestUid: guestUidOf },
      trim: trimAttachment,
    }),
    claims: of(persistentVolumeClaims, { indexers: { byStateOf: stateOf } }),
    storageClasses: of(storageClasses),
    dataVolumes: of(dataVolumes, { optional: true }),
    networks: of(networkAttachmentDefinitions, { optional: true, metadataOnly: true }),
    volumeSnapshots: of(volumeSnapshots, { optional: true, metadataOnly: true }),
    routes: of(routes, { optional: true, metadataOnly: true, namespace }),
    serviceMonitors: of(serviceMonitors, { optional: true, metadataOnly: true, namespace }),
    snapshots: of(virtualMachineSnapshots, { optional: true }),
    restores: of(virtualMachineRestores, { optional: true }),
    clones: of(virtualMachineClones, { optional: true }),
    exports: of(virtualMachineExports, { optional: true }),
    revisions: of(controllerRevisions, { indexers: { byVmUid: vmUidOf, byPoolUid: poolUidOf } }),
    nodes: of(nodes, { trim: trimNode }),
    namespaces: of(namespaces),
    quotas: of(resourceQuotas, { indexers: { byNamespace: ({ metadata }) => [metadata.namespace ?? ''] } }),
    deployments: of(deployments, { namespace, labelSelector: 'kubevirt.io' }),
    daemonSets: of(daemonSets, { namespace, labelSelector: 'kubevirt.io' }),
    secrets: of(secrets, { namespace, labelSelector: 'kubevirt.io=certificates' }),
    configMaps: of(configMaps, { namespace, labelSelector: 'kubevirt.io=certificates' }),
    apiServices: of(apiServices, { labelSelector: 'kubevirt.io' }),
    mutating: of(mutatingWebhookConfigurations, { labelSelector: 'kubevirt.io' }),
    validating: of(validatingWebhookConfigurations, { labelSelector: 'kubevirt.io' }),
  }
}

const readAnnotations: ReadonlySet<string> = new Set([
  annotation.memoryOverheadBytes,
  annotation.ephemeralProvisioning,
  annotation.multusNetworks,
  annotation.deschedulerEvictionInProgress,
  networkStatus,
])

/** Of a launcher pod only its state matters; its spec is the largest part and never read back. */
function trimPod({ apiVersion, kind, metadata, spec, status }: Pod, synced: SyncedKeys): Pod {
  const images = (containers: Pod['spec']['containers'] = []): Pod['spec']['containers'] =>
    containers.map(({ name, image }) => ({ name, ...(image === undefined ? {} : { image }) }))
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => readAnnotations.has(key) || isBackupHook(key) || synced.annotation.has(key),
  )
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      ...metadata,
      annotations: Object.fromEntries(annotations),
    },
    spec: {
      ...(spec.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
      containers: images(spec.containers),
      initContainers: images(spec.initContainers),
    },
    ...(status === undefined ? {} : { status }),
  }
}

/** Of a pod that holds volumes it matters which, for whom, and whether it holds them. */
function trimAttachment({ metadata, spec, status, ...kind }: Pod): Pod {
  const volumes = (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [{ name, persistentVolumeClaim }],
  )
  return { ...kind, metadata, spec: { containers: [], volumes }, ...(status === undefined ? {} : { status }) }
}

/** Of a node only what its agent wrote matters, and the taints that drain it. */
function trimNode({ apiVersion, kind, metadata, spec }: Node): Node {
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata,
    ...(spec?.taints === undefined ? {} : { spec: { taints: spec.taints } }),
  }
}
