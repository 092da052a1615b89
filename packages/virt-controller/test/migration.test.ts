import { expect, test } from '@jest/globals'
import {
  dataVolumes,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
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

const jobUid = 'kubevirt.io/migrationJobUID'
const digest = `sha256:${'a'.repeat(64)}`

function guest(name: string, node = 'node01'): VirtualMachineInstance {
  const object = vmi(withName(name), withUid(`uid-${name}`), withStatus({ phase: 'Running', nodeName: node }))
  object.metadata.namespace = 'default'
  return object
}

function launcher(owner: VirtualMachineInstance): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `virt-launcher-${owner.metadata.name}-first`,
      namespace: 'default',
      labels: {},
      ownerReferences: [ownerReferenceTo(owner, virtualMachineInstances)],
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

function migrationOf(name: string, of: string, extra: Partial<VirtualMachineInstanceMigration['metadata']> = {}) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...extra },
    spec: { vmiName: of },
  } as VirtualMachineInstanceMigration
}

const sourceNode = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'node01',
    labels: {
      'cpu-vendor.node.kubevirt.io/Intel': 'true',
      'host-model-cpu.node.kubevirt.io/Skylake': 'true',
      'host-model-required-features.node.kubevirt.io/vmx': 'true',
    },
  },
}

function world(...objects: readonly KubeObject[]) {
  const client = fakeClient([sourceNode, ...objects])
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

test('a migration goes from its target pod over the hand-over to its success', async () => {
  const web = guest('web')
  const job = world(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  expect(job.problems).toEqual([])
  expect(job.phase('move')).toBe('Scheduling')
  expect(job.migration('move')?.metadata).toMatchObject({
    labels: { 'kubevirt.io/vmi-name': 'web' },
    finalizers: ['kubevirt.io/migrationJobFinalize'],
  })
  const pod = job.target('move')
  expect(pod?.spec).toMatchObject({
    containers: [{ image: 'registry.example/virt-launcher:v1' }, { image: `registry.example/disk@${digest}` }],
    nodeSelector: {
      'kubevirt.io/schedulable': 'true',
      'cpu-vendor.node.kubevirt.io/Intel': 'true',
      'cpu-model-migration.node.kubevirt.io/Skylake': 'true',
      'cpu-feature.node.kubevirt.io/vmx': 'true',
    },
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { 'kubevirt.io/created-by': 'uid-web' } } },
        ],
      },
    },
  })
  expect(pod?.metadata.annotations).toMatchObject({ 'kubevirt.io/migrationJobName': 'move' })

  await job.targetRuns('move')
  await job.settle()
  expect(job.phase('move')).toBe('PreparingTarget')
  expect(job.vmi('web').metadata.labels).toMatchObject({ 'kubevirt.io/migrationTargetNodeName': 'node02' })
  expect(job.vmi('web').status?.migrationState).toMatchObject({
    migrationUid: 'uid-move',
    sourceNode: 'node01',
    targetNode: 'node02',
    sourcePod: 'virt-launcher-web-first',
    targetPod: pod?.metadata.name,
    migrationConfiguration: { completionTimeoutPerGiB: 150 },
  })

  await job.agents('web', { targetNodeAddress: '192.0.2.2' })
  await job.settle()
  expect(job.phase('move')).toBe('TargetReady')
  await job.agents('web', { startTimestamp: '2026-01-01T00:00:00Z' })
  await job.settle()
  expect(job.phase('move')).toBe('Running')
  await job.agents('web', { completed: true, endTimestamp: '2026-01-01T00:00:05Z' })
  await job.settle()
  expect(job.phase('move')).toBe('Succeeded')
  expect(job.migration('move')?.status?.migrationState).toMatchObject({ completed: true })
  expect(job.migration('move')?.metadata.finalizers).toEqual([])
  expect(job.migration('move')?.status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual([
    'Pending',
    'Scheduling',
    'Scheduled',
    'PreparingTarget',
    'TargetReady',
    'Running',
    'Succeeded',
  ])
  expect(job.target('move')).toBeDefined()
  expect(job.told.map((event) => event.split(' ')[1])).toEqual([
    'SuccessfulCreate',
    'SuccessfulHandOver',
    'SuccessfulMigration',
  ])
})

test('a target pod that ends fails the migration, the agents are told, and the guest stays where it is', async () => {
  const web = guest('web')
  const job = world(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  await job.settle()
  await job.targetIs('move', { phase: 'Failed' })
  await job.settle()
  expect(job.phase('move')).toBe('Failed')
  expect(job.vmi('web').status?.migrationState).toMatchObject({ failed: true, completed: true })
  expect(job.vmi('web').status).toMatchObject({ phase: 'Running', nodeName: 'node01' })
  expect(job.targets()).toEqual([])
})

test('deleted before its hand-over a migration takes its target along; after it the agents are asked to stop', async () => {
  const web = guest('web')
  const early = world(web, launcher(web), migrationOf('move', 'web'))
  await early.settle()
  await early.cancel('move')
  await early.settle()
  expect(early.migration('move')).toBeUndefined()
  expect(early.targets()).toEqual([])

  const late = world(web, launcher(web), migrationOf('move', 'web'))
  await late.settle()
  await late.targetRuns('move')
  await late.settle()
  await late.cancel('move')
  await late.settle()
  expect(late.vmi('web').status?.migrationState?.abortRequested).toBe(true)
  expect(late.migration('move')?.status?.conditions).toMatchObject([
    { type: 'migrationAbortRequested', status: 'True' },
  ])
  await late.agents('web', { failed: true, completed: true, abortStatus: 'Succeeded' })
  await late.settle()
  expect(late.migration('move')).toBeUndefined()
})

test('cancelled at the moment of its hand-over, before the cache shows that, a migration is ended by the agents', async () => {
  const web = guest('web')
  const job = world(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  job.holdVmis()
  await job.settle()
  await job.cancel('move')
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toMatchObject({ migrationUid: 'uid-move' })
  expect(job.phase('move')).toBe('Scheduled')

  job.showVmis()
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toMatchObject({ abortRequested: true })
  await job.agents('web', { failed: true, completed: true, abortStatus: 'Succeeded' })
  await job.settle()
  expect(job.migration('move')).toBeUndefined()
})

test.each([
  ['Unschedulable', 299_000, 'Scheduling'],
  ['Unschedulable', 300_000, 'Failed'],
  ['Other', 899_000, 'Scheduling'],
  ['Other', 900_000, 'Failed'],
])('a target pod that waits as %s for %i ms leaves the migration in %s', async (reason, age, phase) => {
  const web = guest('web')
  const job = world(web, launcher(web), migrationOf('move', 'web'))
  await job.settle()
  const conditions = [{ type: 'PodScheduled', status: 'False', reason }]
  await job.targetIs('move', { phase: 'Pending', conditions })
  const created = Date.parse(job.target('move')?.metadata.creationTimestamp ?? '')
  job.wait(created - Date.parse('2026-01-01T00:00:00Z') + age)
  await job.settle()
  expect(job.phase('move')).toBe(phase)
})

test('no more migrations run than the cluster and the node allow, urgent ones first', async () => {
  const guests = ['a', 'b', 'c'].map((name) => guest(name))
  const urgent = migrationOf('urgent', 'c')
  urgent.spec.priority = 'system-critical'
  const job = world(...guests, ...guests.map(launcher), migrationOf('m-a', 'a'), migrationOf('m-b', 'b'), urgent)
  await job.settle()
  expect(job.targets()).toHaveLength(2)
  expect(['urgent', 'm-a', 'm-b'].map(job.phase)).toEqual(['Scheduling', 'Scheduling', 'Pending'])
  await job.targetRuns('m-a')
  await job.settle()
  await job.agents('a', { completed: true, startTimestamp: 'x', targetNodeAddress: 'x' })
  await job.settle()
  expect(job.targets()).toHaveLength(3)
})

test('those that wait go in the order of their priority, then of their age', async () => {
  const order = ['system-critical', 'user-triggered', 'system-maintenance', undefined]
  const names = order.map((_, index) => `g${index}`)
  const guests = names.map((name, index) => guest(name, `node0${index}`))
  const jobs = names.toReversed().map((name) => {
    const job = migrationOf(`m-${name}`, name)
    const priority = order[names.indexOf(name)]
    return priority === undefined ? job : { ...job, spec: { ...job.spec, priority } }
  })
  const job = world(...guests, ...guests.map(launcher), ...jobs)
  job.limit({ parallelMigrationsPerCluster: 1 })
  const ran: string[] = []
  for (let turn = 0; turn < names.length; turn++) {
    await job.settle()
    const running = names.find((name) => job.phase(`m-${name}`) === 'Scheduling') ?? ''
    ran.push(running)
    await job.targetIs(`m-${running}`, { phase: 'Failed' })
  }
  expect(ran).toEqual(names)
})

test('of two migrations of one guest that got past admission the younger fails, and no second pod is made', async () => {
  const web = guest('web')
  const first = migrationOf('first', 'web', { creationTimestamp: '2026-01-01T00:00:00Z' })
  const second = migrationOf('second', 'web', { creationTimestamp: '2026-01-01T00:00:01Z' })
  const job = world(web, launcher(web), second, first)
  await job.settle()
  expect(job.phase('second')).toBe('Failed')
  expect(job.phase('first')).toBe('Scheduling')
  expect(job.targets()).toHaveLength(1)
})

test('an automatic migration waits after failures, a user’s does not', async () => {
  const web = guest('web')
  const stamp = [{ phase: 'Failed', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' }]
  const failed = { ...migrationOf('old', 'web'), status: { phase: 'Failed', phaseTransitionTimestamps: stamp } }
  const automatic = migrationOf('auto', 'web', { annotations: { 'kubevirt.io/evacuationMigration': 'node01' } })
  const job = world(web, launcher(web), failed, automatic)
  job.wait(19_000)
  await job.settle()
  expect(job.phase('auto')).toBe('Pending')
  expect(job.told).toContain('VirtualMachineInstance MigrationBackoff')
  job.wait(1000)
  await job.settle()
  expect(job.phase('auto')).toBe('Scheduling')
  const byUser = world(web, launcher(web), failed, migrationOf('move', 'web'))
  await byUser.settle()
  expect(byUser.phase('move')).toBe('Scheduling')
})

test('five finished migrations of a guest are kept; those of a guest that is gone go', async () => {
  const web = guest('web')
  const old = Array.from({ length: 7 }, (_, index) => ({
    ...migrationOf(`old-${index}`, 'web', { creationTimestamp: `2026-01-01T00:00:0${index}Z` }),
    status: { phase: 'Succeeded' },
  }))
  const job = world(web, launcher(web), ...old)
  await job.settle()
  const names = () => job.client.objects(virtualMachineInstanceMigrations).map(({ metadata }) => metadata.name)
  expect(names()).toEqual(['old-2', 'old-3', 'old-4', 'old-5', 'old-6'])
  await job.client.delete(vmis, { namespace: 'default', name: 'web' })
  await job.settle()
  expect(names()).toEqual([])
})

test('the policy with the most labels of the guest decides how it is moved', async () => {
  const web = guest('web')
  web.metadata.labels = { app: 'web', tier: 'a' }
  const policy = (name: string, selector: Record<string, string>, maxDowntimeMs: number) => ({
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name },
    spec: { selectors: { virtualMachineInstanceSelector: selector }, maxDowntimeMs },
  })
  const job = world(
    web,
    launcher(web),
    migrationOf('move', 'web'),
    policy('one', { app: 'web' }, 100),
    policy('two', { app: 'web', tier: 'a' }, 200),
    policy('other', { app: 'db' }, 300),
  )
  await job.settle()
  await job.targetRuns('move')
  await job.settle()
  expect(job.vmi('web').status?.migrationState).toMatchObject({
    migrationPolicyName: 'two',
    migrationConfiguration: { maxDowntimeMs: 200, progressTimeout: 150 },
  })
})

test('plugged in volumes are held for the target before the nodes take over', async () => {
  const web = guest('web')
  web.spec.volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data', hotpluggable: true } }]
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: {},
    status: { phase: 'Bound' },
  }
  const job = world(web, launcher(web), claim, migrationOf('move', 'web'))
  await job.settle()
  await job.targetRuns('move')
  await job.settle()

  expect(job.phase('move')).toBe('Pending')
  const held = job.client.objects(pods).find(({ metadata }) => metadata.labels?.['kubevirt.io'] === 'hotplug-disk')
  expect(held?.metadata.ownerReferences).toMatchObject([{ name: job.target('move')?.metadata.name }])
  expect(held?.spec.volumes?.at(-1)).toEqual({ name: 'data', persistentVolumeClaim: { claimName: 'data' } })

  const status = { phase: 'Running', containerStatuses: [{ name: 'hotplug-disk', ready: true }] }
  const reference = { namespace: 'default', name: held?.metadata.name ?? '' }
  await job.client.patch(pods, reference, { status }, { type: 'merge', subresource: 'status' })
  await job.settle()
  expect(job.phase('move')).toBe('PreparingTarget')
  expect(job.vmi('web').status?.migrationState?.targetAttachmentPodUID).toBe(held?.metadata.uid)
})
