import { expect, test } from '@jest/globals'
import {
  kubeVirts,
  podDisruptionBudgets,
  pods,
  secrets,
  virtualMachineInstanceMigrations,
  virtualMachineInstanceReplicaSets,
  virtualMachineInstances,
  virtualMachinePools,
  virtualMachines,
} from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { vm, vmi, withContainerDisk, withMemory, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createRegistry, parseOptions } from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import { createInformers } from '../src/informers.ts'
import { lead } from '../src/leader/index.ts'
import { createMetrics } from '../src/metrics/transitions.ts'
import { options as definitions } from '../src/options.ts'

const kubeVirt = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace: 'kubevirt' },
  spec: { configuration: { developerConfiguration: { useEmulation: true, featureGates: ['DirectContainerDisk'] } } },
}

/** Waits for the first state of a collection in which an object is as wanted. */
async function until<T extends KubeObject>(
  client: FakeClient,
  kind: ResourceType<T>,
  holds: (object: T) => boolean,
): Promise<T> {
  const known = client.objects(kind).find(holds)
  if (known !== undefined) return known
  const abort = new AbortController()
  try {
    for await (const { object } of client.watch(kind, { resourceVersion: '0', signal: abort.signal })) {
      if (holds(object)) return object
    }
  } finally {
    abort.abort()
  }
  throw new Error(`the watch of ${kind.plural} ended`)
}

/** A leader over a server in memory, with real caches, queues and workers. */
function runLeader(...objects: readonly KubeObject[]) {
  const client = fakeClient(objects)
  const log = silentLog()
  const informers = createInformers(client, 'kubevirt', log)
  const config = new ClusterConfig({ kubeVirts: informers.kubeVirts, namespace: 'kubevirt' })
  const options = parseOptions(definitions, ['--launcher-image', 'registry.example/virt-launcher:v1'], {})
  const registry = createRegistry('virt-controller')
  const abort = new AbortController()
  for (const informer of Object.values(informers)) informer.start(abort.signal)
  const metrics = createMetrics(registry)
  const leading = lead({ client, informers, config, metrics, registry, options, log }, abort.signal)
  return {
    client,
    registry,
    stop: async () => {
      abort.abort()
      await leading
    },
  }
}

test('a leader runs every controller: a VM becomes a pod, certificates and status follow', async () => {
  const guest = vm(
    vmi(withContainerDisk('root', 'registry.example/disk:1'), withMemory('64Mi')),
    withUid('vm'),
    withRunStrategy('Always'),
  )
  const { client, registry, stop } = runLeader(kubeVirt, guest)

  const pod = await until(client, pods, ({ metadata }) => metadata.labels?.['kubevirt.io'] === 'virt-launcher')
  expect(pod.spec.initContainers).toBeUndefined()
  await until(client, virtualMachineInstances, ({ status }) => status?.phase === 'Scheduling')
  await until(client, secrets, ({ metadata }) => metadata.name === 'kubevirt-virt-handler-certs')
  const status = (await until(client, kubeVirts, (object) => object.status?.phase !== undefined)).status
  expect(status).toMatchObject({ phase: 'Deploying', observedKubeVirtVersion: 'v1' })

  await stop()
  expect(await registry.metrics()).toContain(
    'kubevirt_vmi_phase_transition_time_from_creation_seconds_count{phase="Scheduling"} 1',
  )
})

const web = { matchLabels: { app: 'web' } }

test('a replica set follows its size and replaces guests that ended', async () => {
  const template = { metadata: { labels: { app: 'web' } }, spec: vmi(withMemory('64Mi')).spec }
  const { client, stop } = runLeader(kubeVirt, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceReplicaSet',
    metadata: { name: 'web', namespace: 'default', uid: 'set' },
    spec: { replicas: 3, selector: web, template },
  } as KubeObject)
  const at = (replicas: number) =>
    until(client, virtualMachineInstanceReplicaSets, ({ status, spec }) => {
      const alive = client
        .objects(virtualMachineInstances)
        .filter((each) => each.metadata.deletionTimestamp === undefined)
      return status?.replicas === replicas && spec.replicas === replicas && alive.length === replicas
    })
  await at(3)
  const [first] = client.objects(virtualMachineInstances)
  const reference = { namespace: 'default', name: first?.metadata.name ?? '' }
  await client.patch(virtualMachineInstances, reference, { status: { phase: 'Failed' } }, { type: 'merge' })
  await until(client, virtualMachineInstances, () => {
    const names = client.objects(virtualMachineInstances).map(({ metadata }) => metadata.name)
    return names.length === 3 && !names.includes(reference.name)
  })
  expect(client.objects(virtualMachineInstanceReplicaSets)[0]?.status?.labelSelector).toBe('app=web')
  await stop()
})

test('a pool makes its machines, and a guest that is evicted from a node is asked to move', async () => {
  const machine = vm(vmi(withMemory('64Mi')), withRunStrategy('Always'))
  const pool = {
    apiVersion: 'pool.kubevirt.io/v1beta1',
    kind: 'VirtualMachinePool',
    metadata: { name: 'web', namespace: 'default', uid: 'pool' },
    spec: {
      replicas: 2,
      selector: web,
      virtualMachineTemplate: { metadata: { labels: { app: 'web' } }, spec: machine.spec },
    },
  } as KubeObject
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: 'old',
      namespace: 'default',
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'x', uid: 'x', controller: true },
      ],
    },
  } as KubeObject
  const { client, stop } = runLeader(kubeVirt, pool, budget)
  await until(client, virtualMachinePools, ({ status }) => status?.replicas === 2)
  await until(
    client,
    virtualMachineInstances,
    ({ metadata, status }) => metadata.name === 'web-1' && status?.phase === 'Scheduling',
  )
  expect(client.objects(virtualMachines).map(({ metadata }) => metadata.name)).toEqual(['web-0', 'web-1'])
  const status = {
    phase: 'Running',
    nodeName: 'node01',
    evacuationNodeName: 'node01',
    conditions: [{ type: 'LiveMigratable', status: 'True' }],
  }
  const body = { spec: { evictionStrategy: 'LiveMigrate' }, status }
  await client.patch(virtualMachineInstances, { namespace: 'default', name: 'web-1' }, body, { type: 'merge' })
  const migration = await until(client, virtualMachineInstanceMigrations, (each) => each.status?.phase === 'Pending')
  expect(migration.spec).toEqual({ vmiName: 'web-1', priority: 'system-critical' })
  expect(client.objects(podDisruptionBudgets)).toEqual([])
  await stop()
})
