import {
  dataVolumes,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  virtualMachineInstanceMigrations,
  virtualMachineInstances as vmis,
} from '@kubevirt-ts/api'
import type {
  KubeObject,
  KubeVirtConfiguration,
  Pod,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import { keyOf, ownerReferenceTo } from '@kubevirt-ts/controller'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vmi, withName, withStatus, withUid } from '@kubevirt-ts/libvmi'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { launcherUidOf } from '../src/watch/attachments/of-launcher.ts'
import { vmiKeyOf } from '../src/watch/migration/controller.ts'
import { reconcile } from '../src/watch/migration/reconcile.ts'
import { OwnWrites } from '../src/watch/own-writes.ts'
import { vmiUidOf } from '../src/watch/vmi/controller.ts'
import { eventLog, freshLister, settle, unbothered } from './fresh-caches.ts'

export const jobUid = 'kubevirt.io/migrationJobUID'
export const digest = `sha256:${'a'.repeat(64)}`

/** A guest that runs. */
export function guest(name: string, node = 'node01'): VirtualMachineInstance {
  const object = vmi(withName(name), withUid(`uid-${name}`), withStatus({ phase: 'Running', nodeName: node }))
  object.metadata.namespace = 'default'
  return object
}

/** The launcher pod of a guest. */
export function launcher(owner: VirtualMachineInstance): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `virt-launcher-${owner.metadata.name}-first`,
      namespace: 'default',
      labels: {},
      ownerReferences: [ownerReferenceTo(owner, vmis)],
    },
    spec: {
      nodeName: owner.status?.nodeName,
      nodeSelector: { 'kubevirt.io/schedulable': 'true' },
      containers: [
        { name: 'compute', image: 'registry.example/virt-launcher:v1' },
        { name: 'volumeroot', image: 'registry.example/disk:1' },
      ],
    },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'volumeroot', image: 'x', imageID: `registry.example/disk@${digest}`, ready: true }],
    },
  } as unknown as Pod
}

/** A request to move the guest of this name. */
export function migrationOf(
  name: string,
  of: string,
  extra: Partial<VirtualMachineInstanceMigration['metadata']> = {},
) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...extra },
    spec: { vmiName: of },
  } as VirtualMachineInstanceMigration
}

/** Where guests run before they move, and where they go. */
const node = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: {
      'cpu-vendor.node.kubevirt.io/Intel': 'true',
      'cpu-model-migration.node.kubevirt.io/Skylake': 'true',
      'cpu-feature.node.kubevirt.io/vmx': 'true',
      'host-model-cpu.node.kubevirt.io/Skylake': 'true',
      'host-model-required-features.node.kubevirt.io/vmx': 'true',
    },
  },
})

/** A cluster in memory in which the migration controller works on fresh caches, and tests play all others. */
export function migrationWorld(...objects: readonly KubeObject[]) {
  const client = fakeClient([node('node01'), node('node02'), ...objects])
  const events = eventLog()
  const problems: unknown[] = []
  let time = Date.parse('2026-01-01T00:00:00Z')
  let held: VirtualMachineInstance[] | undefined
  let migrations: KubeVirtConfiguration['migrations'] = {}
  const deps = {
    client,
    migrations: freshLister(client, virtualMachineInstanceMigrations, { byVmi: vmiKeyOf }),
    vmis: {
      ...freshLister(client, vmis),
      get: (key: string) => (held ?? client.objects(vmis)).find((each) => keyOf(each) === key),
    },
    pods: freshLister(client, pods, { byVmiUid: vmiUidOf }),
    attachments: freshLister(client, pods, { byLauncherUid: launcherUidOf }),
    claims: freshLister(client, persistentVolumeClaims),
    storageClasses: freshLister(client, storageClasses),
    dataVolumes: freshLister(client, dataVolumes),
    settings: { launcherImage: 'registry.example/virt-launcher:v1' },
    nodes: freshLister(client, nodes),
    namespaceLabels: (name: string) =>
      client.objects(namespaces).find(({ metadata }) => metadata.name === name)?.metadata.labels ?? {},
    configuration: () => mergeConfiguration({ migrations }),
    render: (owner: VirtualMachineInstance) => {
      const { metadata, spec } = launcher(owner)
      const { nodeName: _node, ...unbound } = spec
      return { metadata: { ...metadata, name: '' }, spec: unbound } as Pod
    },
    events,
    ...unbothered,
    vmiWrites: new OwnWrites(() => 0),
    started: new Set<string>(),
    now: () => new Date(time),
  }
  const pass = async (): Promise<void> => {
    for (const { metadata } of client.objects(virtualMachineInstanceMigrations)) {
      await reconcile(`default/${metadata.name}`, deps).catch((error: unknown) => problems.push(error))
    }
  }
  const at = (name: string) => ({ namespace: 'default', name })
  const target = (name: string) =>
    client.objects(pods).find(({ metadata }) => metadata.labels?.[jobUid] === `uid-${name}`)
  return {
    client,
    problems,
    told: events.told,
    target,
    limit: (limits: typeof migrations) => void (migrations = limits),
    wait: (milliseconds: number) => void (time += milliseconds),
    settle: () => settle(client, [virtualMachineInstanceMigrations, vmis, pods] as never, pass),
    migration: (name: string) =>
      client.objects(virtualMachineInstanceMigrations).find(({ metadata }) => metadata.name === name),
    phase: (name: string) =>
      client.objects(virtualMachineInstanceMigrations).find(({ metadata }) => metadata.name === name)?.status?.phase,
    vmi: (name: string) => client.objects(vmis).find(({ metadata }) => metadata.name === name)!,
    targets: () => client.objects(pods).filter(({ metadata }) => metadata.labels?.[jobUid] !== undefined),
    /** Plays the kubelet of the target node. */
    targetRuns: async (name: string) => {
      const pod = at(target(name)!.metadata.name)
      const containerStatuses = [{ name: 'compute', ready: true, state: { running: {} } }]
      await client.patch(pods, pod, { spec: { nodeName: 'node02' } }, { type: 'merge' })
      const status = { phase: 'Running', containerStatuses }
      await client.patch(pods, pod, { status }, { type: 'merge', subresource: 'status' })
    },
    targetIs: (name: string, status: object) =>
      client.patch(pods, at(target(name)!.metadata.name), { status }, { type: 'merge', subresource: 'status' }),
    /** Plays the nodes' agents. */
    agents: (name: string, state: object) =>
      client.patch(vmis, at(name), { status: { migrationState: state } }, { type: 'merge' }),
    /** The cache of VMIs falls behind, and catches up. */
    holdVmis: () => void (held = structuredClone(client.objects(vmis))),
    showVmis: () => void (held = undefined),
    cancel: (name: string) => client.delete(virtualMachineInstanceMigrations, at(name)),
  }
}
