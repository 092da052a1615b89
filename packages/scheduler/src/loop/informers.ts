import {
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  services,
  storageClasses,
  virtualMachineInstances,
  virtualMachines,
  type KubeObject,
  type LabelSelector,
  type Namespace,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
  type PodDisruptionBudget,
  type ResourceType,
  type Service,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import {
  csiNodes,
  volumeAttachments,
  type CSINode,
  type SchedulingStorageClass,
  type SchedulingVolumeObject,
  type VolumeAttachment,
} from '@kubevirt-ts/scheduling'
import type { Logger } from '@kubevirt-ts/service'

/** A workload whose pods are meant to be spread. */
export interface Workload extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector | Readonly<Record<string, string>> }
}

const apps = { group: 'apps', version: 'v1', namespaced: true }
const replicaSets: ResourceType<Workload> = { ...apps, plural: 'replicasets', kind: 'ReplicaSet' }
const statefulSets: ResourceType<Workload> = { ...apps, plural: 'statefulsets', kind: 'StatefulSet' }
const replicationControllers: ResourceType<Workload> = {
  group: '',
  version: 'v1',
  namespaced: true,
  plural: 'replicationcontrollers',
  kind: 'ReplicationController',
}

/** Everything that decisions are made from, kept up to date. */
export interface Informers {
  readonly pods: Informer<Pod>
  readonly nodes: Informer<Node>
  readonly claims: Informer<PersistentVolumeClaim>
  readonly volumes: Informer<SchedulingVolumeObject>
  readonly storageClasses: Informer<SchedulingStorageClass>
  readonly csiNodes: Informer<CSINode>
  readonly attachments: Informer<VolumeAttachment>
  readonly namespaces: Informer<Namespace>
  readonly disruptionBudgets: Informer<PodDisruptionBudget>
  readonly services: Informer<Service>
  readonly workloads: Readonly<Record<string, Informer<Workload>>>
  readonly virtualMachines: Informer<VirtualMachine>
  readonly instances: Informer<VirtualMachineInstance>
}

export function createInformers(client: KubeClient, log: Logger): Informers {
  const informer = <T extends KubeObject>(
    resource: ResourceType<T>,
    more: Partial<ConstructorParameters<typeof Informer<T>>[0]> = {},
  ) => new Informer<T>({ client, resource, log, ...more })
  return {
    // What ended takes no room and needs no node.
    pods: informer(pods, { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' }),
    nodes: informer(nodes),
    claims: informer(persistentVolumeClaims),
    volumes: informer(persistentVolumes as ResourceType<SchedulingVolumeObject>, {
      indexers: { class: ({ spec }) => [spec?.storageClassName ?? ''] },
    }),
    storageClasses: informer(storageClasses as ResourceType<SchedulingStorageClass>),
    csiNodes: informer(csiNodes),
    attachments: informer(volumeAttachments, { indexers: { node: ({ spec }) => [spec?.nodeName ?? ''] } }),
    namespaces: informer(namespaces),
    disruptionBudgets: informer(podDisruptionBudgets),
    services: informer(services, { trim: withSelectorOnly, indexers: { namespace: namespaceOf } }),
    workloads: {
      ReplicaSet: informer(replicaSets, { trim: withSelectorOnly }),
      StatefulSet: informer(statefulSets, { trim: withSelectorOnly }),
      ReplicationController: informer(replicationControllers, { trim: withSelectorOnly }),
    },
    // A cluster without KubeVirt has no VMs, and pods all the same.
    virtualMachines: informer(virtualMachines, { trim: withoutTemplate, optional: true }),
    instances: informer(virtualMachineInstances, { optional: true }),
  }
}

/** Starts them; resolves when each has its first list. The kinds of KubeVirt only where a plugin may ask for them. */
export async function startInformers(
  informers: Informers,
  { signal, withVirtualMachines }: { readonly signal: AbortSignal; readonly withVirtualMachines: boolean },
): Promise<void> {
  const { workloads, virtualMachines: vms, instances, ...others } = informers
  const all = [
    ...Object.values(others),
    ...Object.values(workloads),
    ...(withVirtualMachines ? [vms, instances] : []),
  ] as readonly Pick<Informer<KubeObject>, 'start' | 'synced'>[]
  for (const informer of all) informer.start(signal)
  await Promise.all(all.map(({ synced }) => synced))
}

function namespaceOf({ metadata }: KubeObject): string[] {
  return [metadata.namespace ?? '']
}

function withSelectorOnly<T extends KubeObject>(object: T): T {
  const { spec, apiVersion, kind, metadata } = object as T & { readonly spec?: { readonly selector?: unknown } }
  const { name, namespace, uid, resourceVersion } = metadata
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion },
    spec: { selector: spec?.selector },
  } as unknown as T
}

/** The machine itself is of no interest here, and large. */
function withoutTemplate(vm: VirtualMachine): VirtualMachine {
  return { ...vm, spec: { ...vm.spec, template: {} } } as VirtualMachine
}
