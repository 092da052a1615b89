import { expect, test } from '@jest/globals'
import {
  nodes,
  podDisruptionBudgets,
  pods,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
} from '@kubevirt-ts/api'
import type { KubeObject, KubeVirt, KubeVirtConfiguration, VirtualMachineInstance } from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vmi, withName, withStatus, withUid } from '@kubevirt-ts/libvmi'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { reconcile as tidyBudget } from '../src/watch/disruption-budget/controller.ts'
import { reconcile as evacuate } from '../src/watch/evacuation/reconcile.ts'
import { vmiKeyOf } from '../src/watch/migration/controller.ts'
import { nodeOf } from '../src/watch/node/controller.ts'
import { vmiUidOf } from '../src/watch/vmi/controller.ts'
import { reconcile as updateWorkloads } from '../src/watch/workload-updater/reconcile.ts'
import { eventLog, freshLister, unbothered } from './fresh-caches.ts'

type Pieces = {
  readonly strategy?: string
  readonly leaves?: string
  readonly image?: string
  readonly fixed?: boolean
}

function guest(name: string, { strategy, leaves, image, fixed = false }: Pieces = {}): VirtualMachineInstance {
  const object = vmi(withName(name), withUid(`uid-${name}`))
  object.metadata.namespace = 'default'
  if (strategy !== undefined) object.spec.evictionStrategy = strategy
  withStatus({
    phase: 'Running',
    nodeName: 'node01',
    conditions: [{ type: 'LiveMigratable', status: fixed ? 'False' : 'True' }],
    ...(leaves === undefined ? {} : { evacuationNodeName: leaves }),
    ...(image === undefined ? {} : { launcherContainerImageVersion: image }),
  })(object)
  return object
}

const nodeWith = (taints: object[]) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node01' },
  spec: { taints },
})
const drain = { key: 'kubevirt.io/drain', effect: 'NoSchedule' }

function world(objects: readonly KubeObject[], configuration: KubeVirtConfiguration = {}) {
  const client = fakeClient(objects)
  const events = eventLog()
  return {
    client,
    told: events.told,
    deps: {
      client,
      nodes: freshLister(client, nodes),
      vmis: freshLister(client, virtualMachineInstances, { byNode: nodeOf }),
      migrations: freshLister(client, virtualMachineInstanceMigrations, { byVmi: vmiKeyOf }),
      pods: freshLister(client, pods, { byVmiUid: vmiUidOf }),
      budgets: freshLister(client, podDisruptionBudgets),
      configuration: () => mergeConfiguration(configuration),
      events,
      expectations: unbothered.expectations,
    },
    migrations: () => client.objects(virtualMachineInstanceMigrations),
    movedGuests: () => client.objects(virtualMachineInstanceMigrations).map(({ spec }) => spec.vmiName),
  }
}

test('a guest whose eviction was asked for is moved once, with urgency', async () => {
  const { deps, migrations, told } = world([guest('web', { strategy: 'LiveMigrate', leaves: 'node01' })])
  await evacuate('node01', deps)
  await evacuate('node01', deps)
  expect(migrations()).toHaveLength(1)
  expect(migrations()[0]).toMatchObject({
    metadata: { annotations: { 'kubevirt.io/evacuationMigration': 'node01' } },
    spec: { vmiName: 'web', priority: 'system-critical' },
  })
  expect(migrations()[0]?.metadata.name).toMatch(/^kubevirt-evacuation-.{5}$/)
  expect(told).toEqual(['VirtualMachineInstance SuccessfulCreate'])
})

test('a tainted node is left by all guests that may move', async () => {
  const { deps, movedGuests } = world([
    nodeWith([drain]),
    guest('a', { strategy: 'LiveMigrate' }),
    guest('b', { strategy: 'LiveMigrateIfPossible' }),
    guest('c', { strategy: 'LiveMigrateIfPossible', fixed: true }),
    guest('d', { strategy: 'None' }),
    guest('e'),
  ])
  await evacuate('node01', deps)
  expect(movedGuests()).toEqual(['a', 'b'])
})

test('the strategy of the cluster counts for guests that name none, and another taint drains nothing', async () => {
  const guests = [guest('a'), guest('b', { strategy: 'External' })]
  const drained = world([nodeWith([drain]), ...guests], { evictionStrategy: 'LiveMigrate' })
  await evacuate('node01', drained.deps)
  expect(drained.movedGuests()).toEqual(['a'])
  const other = world([nodeWith([{ key: 'maintenance', effect: 'NoSchedule' }]), ...guests], {
    evictionStrategy: 'LiveMigrate',
  })
  await evacuate('node01', other.deps)
  expect(other.movedGuests()).toEqual([])
})

test('a leftover disruption budget of a guest is deleted, any other stays', async () => {
  const web = guest('web')
  const budget = (name: string, owners: object[]) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default', ownerReferences: owners as never },
  })
  const { client, deps, told } = world([
    web,
    budget('old', [ownerReferenceTo(web, virtualMachineInstances)]),
    budget('users', []),
  ])
  await tidyBudget('default/old', deps)
  await tidyBudget('default/users', deps)
  expect(client.objects(podDisruptionBudgets).map(({ metadata }) => metadata.name)).toEqual(['users'])
  expect(told).toEqual(['VirtualMachineInstance SuccessfulDelete'])
})

const old = 'registry.example/virt-launcher:v1'
const launcherImage = 'registry.example/virt-launcher:v2'

function updater(methods: string[], objects: readonly KubeObject[], configuration: KubeVirtConfiguration = {}) {
  const cluster = world(objects, configuration)
  const kubeVirt = {
    metadata: { name: 'kubevirt', namespace: 'kubevirt' },
    spec: { workloadUpdateStrategy: { workloadUpdateMethods: methods, batchEvictionSize: 1 } },
    status: { phase: 'Deployed' },
  } as KubeVirt
  let time = 1_000_000
  const deps = {
    ...cluster.deps,
    kubeVirt: () => kubeVirt,
    launcherImage,
    lastEviction: { at: 0 },
    now: () => new Date(time),
  }
  return {
    ...cluster,
    look: () => updateWorkloads('workloads', deps),
    wait: (milliseconds: number) => void (time += milliseconds),
    evictions: () =>
      cluster.client.calls.filter(({ subresource }) => subresource === 'eviction').map(({ name }) => name),
  }
}

const podOf = (owner: VirtualMachineInstance): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${owner.metadata.name}`,
      namespace: 'default',
      ownerReferences: [ownerReferenceTo(owner, virtualMachineInstances)],
    },
    spec: { containers: [] },
    status: { phase: 'Running' },
  }) as KubeObject

test('guests in an old launcher are moved, as many as may move at once', async () => {
  const guests = ['a', 'b', 'c'].map((name) => guest(name, { image: old }))
  const parallel = { migrations: { parallelMigrationsPerCluster: 2 } }
  const cluster = updater(['LiveMigrate'], [...guests, guest('new', { image: launcherImage })], parallel)
  expect(await cluster.look()).toEqual({ requeueAfter: 30_000 })
  await cluster.look()
  expect(cluster.movedGuests()).toEqual(['a', 'b'])
  expect(cluster.migrations()[0]?.metadata.annotations).toEqual({ 'kubevirt.io/workloadUpdateMigration': '' })
})

test('guests that cannot move are evicted in batches, and only where the strategy says so', async () => {
  const guests = ['a', 'b'].map((name) => guest(name, { image: old, fixed: true }))
  const objects = [...guests, ...guests.map(podOf)]
  const cautious = updater(['LiveMigrate'], objects)
  await cautious.look()
  expect(cautious.evictions()).toEqual([])
  const cluster = updater(['LiveMigrate', 'Evict'], objects)
  await cluster.look()
  cluster.wait(59_000)
  await cluster.look()
  expect(cluster.evictions()).toEqual(['pod-a'])
  cluster.wait(1000)
  await cluster.look()
  expect(cluster.evictions()).toHaveLength(2)
})

test('a change of a running guest moves it, and its migration is cancelled when the change is taken back', async () => {
  const web = guest('web', { image: launcherImage })
  web.status?.conditions?.push({ type: 'HotVCPUChange', status: 'True' })
  const cluster = updater(['LiveMigrate'], [web])
  await cluster.look()
  expect(cluster.migrations()[0]?.spec).toEqual({ vmiName: 'web', priority: 'user-triggered' })
  const status = { conditions: [{ type: 'LiveMigratable', status: 'True' }] }
  await cluster.client.patch(
    virtualMachineInstances,
    { namespace: 'default', name: 'web' },
    { status },
    { type: 'merge' },
  )
  await cluster.look()
  expect(cluster.migrations()).toEqual([])
  expect(cluster.told).toContain('VirtualMachineInstance SuccessfulChangeAbortion')
})

test('a move of volumes that are to stay after all is cancelled, however far it got', async () => {
  const web = guest('web', { image: launcherImage })
  web.status?.conditions?.push({ type: 'VolumesChange', status: 'True' })
  const cluster = updater(['LiveMigrate'], [web])
  await cluster.look()
  const [job] = cluster.migrations()
  expect(job?.metadata.labels).toMatchObject({ 'kubevirt.io/volume-update-migration': 'web' })
  const reference = { namespace: 'default', name: job?.metadata.name ?? '' }
  await cluster.client.patch(
    virtualMachineInstanceMigrations,
    reference,
    { status: { phase: 'Running' } },
    { type: 'merge', subresource: 'status' },
  )
  const conditions = [
    { type: 'LiveMigratable', status: 'True' },
    { type: 'VolumesChange', status: 'False', reason: 'VolumesChangeCancellation' },
  ]
  const status = { conditions }
  await cluster.client.patch(
    virtualMachineInstances,
    { namespace: 'default', name: 'web' },
    { status },
    { type: 'merge' },
  )
  await cluster.look()
  expect(cluster.migrations()).toEqual([])
})

test('without a method nothing is updated', async () => {
  const cluster = updater([], [guest('a', { image: old })])
  expect(await cluster.look()).toBeUndefined()
  expect(cluster.movedGuests()).toEqual([])
})
