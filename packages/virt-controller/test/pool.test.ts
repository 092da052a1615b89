import { expect, test } from '@jest/globals'
import {
  controllerRevisions,
  dataVolumes,
  virtualMachineInstances,
  virtualMachinePools,
  virtualMachines,
} from '@kubevirt-ts/api'
import type { KubeObject, VirtualMachine, VirtualMachinePool, VirtualMachinePoolSpec } from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vm, vmi, withLabel, withName, withUid } from '@kubevirt-ts/libvmi'
import { poolOf, poolUidOf } from '../src/watch/pool/controller.ts'
import { reconcile } from '../src/watch/pool/reconcile.ts'
import { eventLog, freshLister, settle, unbothered } from './fresh-caches.ts'

const revision = 'kubevirt.io/vm-pool-revision-name'

function poolOfSize(replicas: number, extra: Partial<VirtualMachinePoolSpec> = {}): VirtualMachinePool {
  return {
    apiVersion: 'pool.kubevirt.io/v1beta1',
    kind: 'VirtualMachinePool',
    metadata: { name: 'web', namespace: 'default', uid: 'pool' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      virtualMachineTemplate: { metadata: { labels: { app: 'web' } }, spec: vm(vmi()).spec },
      ...extra,
    },
  }
}

function world(pool: VirtualMachinePool, ...others: KubeObject[]) {
  const client = fakeClient([pool, ...others])
  const events = eventLog()
  const problems: unknown[] = []
  let time = Date.parse('2026-01-01T00:00:00Z')
  const deps = {
    client,
    pools: freshLister(client, virtualMachinePools),
    vms: freshLister(client, virtualMachines, { byPool: poolOf }),
    vmis: freshLister(client, virtualMachineInstances),
    revisions: freshLister(client, controllerRevisions, { byPoolUid: poolUidOf }),
    events,
    ...unbothered,
    now: () => new Date(time),
    random: () => 0.5,
  }
  const pass = (): Promise<unknown> => reconcile('default/web', deps).catch((error: unknown) => problems.push(error))
  const at = (name: string) => ({ namespace: 'default', name })
  const resources = [virtualMachinePools, virtualMachines, virtualMachineInstances, controllerRevisions]
  return {
    client,
    problems,
    told: events.told,
    wait: (milliseconds: number) => void (time += milliseconds),
    settle: () => settle(client, resources as never, pass),
    names: () =>
      client
        .objects(virtualMachines)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    vm: (name: string) => client.objects(virtualMachines).find(({ metadata }) => metadata.name === name)!,
    guests: () =>
      client
        .objects(virtualMachineInstances)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    revisions: () => client.objects(controllerRevisions).map(({ metadata }) => metadata.name),
    status: () => client.objects(virtualMachinePools)[0]?.status,
    change: (spec: object) => client.patch(virtualMachinePools, at('web'), { spec }, { type: 'merge' }),
    setStatus: (name: string, status: object) =>
      client.patch(virtualMachines, at(name), { status }, { type: 'merge', subresource: 'status' }),
    /** Plays the VM controller: the guest of a VM runs as the VM's template says. */
    run: (owner: VirtualMachine) => {
      const guest = vmi(withName(owner.metadata.name))
      guest.metadata.namespace = 'default'
      guest.metadata.labels = { ...owner.spec.template.metadata?.labels }
      guest.metadata.ownerReferences = [ownerReferenceTo(owner, virtualMachines)]
      return client.create(virtualMachineInstances, guest)
    },
  }
}

const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
const otherGuest = {
  virtualMachineTemplate: { spec: { template: { spec: { domain: { memory: { guest: '2Gi' } } } } } },
}

test('a pool numbers its machines and fills gaps first', async () => {
  const stranger = vm(vmi(withName('web-1')), withUid('stranger'))
  stranger.metadata.namespace = 'default'
  stranger.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'o', controller: true }]
  const pool = world(poolOfSize(3), stranger)
  await pool.settle()
  expect(pool.problems).toEqual([])
  expect(pool.names()).toEqual(['web-0', 'web-1', 'web-2', 'web-3'])
  expect(pool.vm('web-0').metadata).toMatchObject({
    labels: { app: 'web', [revision]: 'web-1' },
    ownerReferences: [{ kind: 'VirtualMachinePool', uid: 'pool' }],
  })
  expect(pool.vm('web-0').spec.template.metadata?.labels).toMatchObject({ [revision]: 'web-1' })
  await pool.setStatus('web-2', ready)
  await pool.settle()
  expect(pool.status()).toEqual({ replicas: 3, readyReplicas: 1, labelSelector: 'app=web' })
})

test.each([
  [undefined, ['web-0', 'web-1']],
  [{ proactive: { selectionPolicy: { sortPolicy: 'AscendingOrder' } } }, ['web-1', 'web-2']],
  [{ unmanaged: {} }, ['web-0', 'web-1', 'web-2']],
] as const)('scaled in by %j it keeps %j', async (scaleInStrategy, kept) => {
  const pool = world(poolOfSize(3, scaleInStrategy === undefined ? {} : { scaleInStrategy }))
  await pool.settle()
  await pool.change({ replicas: 2 })
  await pool.settle()
  expect(pool.names()).toEqual(kept)
})

test('an opportunistic scale-in spares machines that run', async () => {
  const pool = world(poolOfSize(2, { scaleInStrategy: { opportunistic: {} } }))
  await pool.settle()
  await pool.run(pool.vm('web-1'))
  await pool.change({ replicas: 0 })
  await pool.settle()
  expect(pool.names()).toEqual(['web-1'])
})

test('a changed template reaches the machines, and their guests are restarted', async () => {
  const pool = world(poolOfSize(2))
  await pool.settle()
  for (const name of ['web-0', 'web-1']) {
    await pool.setStatus(name, ready)
    await pool.run(pool.vm(name))
  }
  await pool.change(otherGuest)
  await pool.settle()
  expect(pool.vm('web-0').spec.template.spec?.domain.memory?.guest).toBe('2Gi')
  expect(pool.vm('web-0').metadata.labels?.[revision]).toBe('web-2')
  expect(pool.guests()).toEqual([])
  expect(pool.revisions()).toEqual(['web-2'])
})

test('an opportunistic update leaves running guests until they stop by themselves', async () => {
  const pool = world(poolOfSize(1, { updateStrategy: { opportunistic: {} } }))
  await pool.settle()
  await pool.run(pool.vm('web-0'))
  await pool.change(otherGuest)
  await pool.settle()
  expect(pool.vm('web-0').metadata.labels?.[revision]).toBe('web-2')
  expect(pool.guests()).toEqual(['web-0'])
  expect(pool.revisions()).toEqual(['web-1', 'web-2'])
})

test('an unmanaged update changes nothing', async () => {
  const pool = world(poolOfSize(1, { updateStrategy: { unmanaged: {} } }))
  await pool.settle()
  await pool.change(otherGuest)
  await pool.settle()
  expect(pool.vm('web-0').metadata.labels?.[revision]).toBe('web-1')
})

test('no more guests are down at once than the pool allows, and one that is down already goes first', async () => {
  const pool = world(poolOfSize(3, { maxUnavailable: 1 }))
  await pool.settle()
  for (const name of pool.names()) {
    await pool.setStatus(name, ready)
    await pool.run(pool.vm(name))
  }
  await pool.setStatus('web-0', { conditions: [{ type: 'Ready', status: 'False' }] })
  await pool.change(otherGuest)
  await pool.settle()
  expect(pool.guests()).toEqual(['web-1', 'web-2'])
})

test('another size alone makes no new revision and touches no machine', async () => {
  const pool = world(poolOfSize(1))
  await pool.settle()
  const before = pool.vm('web-0').metadata.resourceVersion
  await pool.change({ replicas: 2 })
  await pool.settle()
  expect(pool.revisions()).toEqual(['web-1'])
  expect(pool.vm('web-0').metadata.resourceVersion).toBe(before)
})

test('data volumes get the number of their machine, configuration only where asked', async () => {
  const shared = poolOfSize(1, { nameGeneration: { appendIndexToSecretRefs: true } })
  const spec = shared.spec.virtualMachineTemplate.spec!
  spec.dataVolumeTemplates = [{ metadata: { name: 'root' }, spec: {} }] as never
  spec.template.spec!.volumes = [
    { name: 'root', dataVolume: { name: 'root' } },
    { name: 'shared', dataVolume: { name: 'other' } },
    { name: 'key', secret: { secretName: 'key' } },
    { name: 'conf', configMap: { name: 'conf' } },
  ]
  const pool = world(shared)
  await pool.settle()
  const made = pool.vm('web-0').spec
  expect(made.dataVolumeTemplates?.map(({ metadata }) => metadata.name)).toEqual(['root-0'])
  expect(made.template.spec?.volumes).toEqual([
    { name: 'root', dataVolume: { name: 'root-0' } },
    { name: 'shared', dataVolume: { name: 'other' } },
    { name: 'key', secret: { secretName: 'key-0' } },
    { name: 'conf', configMap: { name: 'conf' } },
  ])
})

test('a machine that fails to start is replaced once it failed often and long enough', async () => {
  const pool = world(poolOfSize(1, { autohealing: { startUpFailureThreshold: 2, minFailingToStartDuration: '1m' } }))
  await pool.settle()
  const failing = [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }]
  await pool.setStatus('web-0', { startFailure: { consecutiveFailCount: 2 }, conditions: failing })
  const first = pool.vm('web-0').metadata.uid
  pool.wait(59_000)
  await pool.settle()
  expect(pool.vm('web-0').metadata.uid).toBe(first)
  pool.wait(1000)
  await pool.settle()
  expect(pool.vm('web-0').metadata.uid).not.toBe(first)
})

test('a paused pool leaves its machines alone and says so; an orphan is adopted', async () => {
  const orphan = vm(vmi(withName('old')), withUid('old'), withLabel('app', 'web'))
  orphan.metadata.namespace = 'default'
  const pool = world(poolOfSize(2, { paused: true }), orphan)
  await pool.settle()
  expect(pool.names()).toEqual(['old'])
  expect(pool.status()?.conditions).toMatchObject([{ type: 'ReplicaPaused', status: 'True', reason: 'Paused' }])
  await pool.change({ paused: false })
  await pool.settle()
  expect(pool.names()).toEqual(['old', 'web-0'])
  expect(pool.vm('old').metadata.ownerReferences).toMatchObject([{ uid: 'pool' }])
  expect(pool.told).toContain('VirtualMachinePool SuccessfulResume')
})

test.each([
  ['Offline', undefined],
  ['Disabled', 'web-1-uid'],
] as const)(
  'scaled in with state preservation %s a disk belongs to %p afterwards',
  async (statePreservation, owner) => {
    const pool = world(poolOfSize(2, { scaleInStrategy: { proactive: { statePreservation } } }))
    await pool.settle()
    const { uid } = pool.vm('web-1').metadata
    await pool.client.create(dataVolumes, {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: {
        name: 'disk-1',
        namespace: 'default',
        labels: { 'kubevirt.io/created-by': uid ?? '' },
        ownerReferences: [ownerReferenceTo(pool.vm('web-1'), virtualMachines)],
      },
      spec: {},
    })
    await pool.change({ replicas: 1 })
    await pool.settle()
    const [disk] = pool.client.objects(dataVolumes)
    expect(disk?.metadata.ownerReferences?.[0]?.uid).toBe(owner === undefined ? undefined : uid)
  },
)

const diskOf = (owner: VirtualMachine) => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: {
    name: `disk-of-${owner.metadata.name}`,
    namespace: 'default',
    labels: { 'kubevirt.io/created-by': owner.metadata.uid ?? '' },
    ownerReferences: [ownerReferenceTo(owner, virtualMachines)],
  },
  spec: {},
})

test('a deleted pool that preserves state waits for its machines, whose disks stay', async () => {
  const pool = world(poolOfSize(2, { scaleInStrategy: { proactive: { statePreservation: 'Offline' } } }))
  await pool.settle()
  const held = ['pool.kubevirt.io/finalizer']
  expect(pool.client.objects(virtualMachinePools)[0]?.metadata.finalizers).toEqual(held)
  for (const name of pool.names()) await pool.client.create(dataVolumes, diskOf(pool.vm(name)))
  await pool.client.delete(virtualMachinePools, { namespace: 'default', name: 'web' })
  await pool.settle()
  expect([pool.names(), pool.client.objects(virtualMachinePools)]).toEqual([[], []])
  expect(pool.client.objects(dataVolumes).map(({ metadata }) => metadata.ownerReferences)).toEqual([[], []])
  expect(pool.problems).toEqual([])
})

test('a deleted pool that leaves its machines behind removes none, and one without state to preserve is never held', async () => {
  const strategy = { proactive: { statePreservation: 'Offline' } } as const
  const pool = world(poolOfSize(1, { scaleInStrategy: strategy }))
  await pool.settle()
  const reference = { namespace: 'default', name: 'web' }
  const finalizers = ['pool.kubevirt.io/finalizer', 'orphan']
  await pool.client.patch(virtualMachinePools, reference, { metadata: { finalizers } }, { type: 'merge' })
  await pool.client.delete(virtualMachinePools, reference)
  await pool.settle()
  expect(pool.names()).toEqual(['web-0'])
  expect(pool.client.objects(virtualMachinePools)[0]?.metadata.finalizers).toEqual(['orphan'])

  const other = world(poolOfSize(1))
  await other.settle()
  expect(other.client.objects(virtualMachinePools)[0]?.metadata.finalizers ?? []).toEqual([])
})
