import { expect, test } from '@jest/globals'
import { virtualMachineInstanceReplicaSets, virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachineInstance, VirtualMachineInstanceReplicaSet } from '@kubevirt-ts/api'
import { Expectations } from '@kubevirt-ts/controller'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vmi, withLabel, withName, withUid } from '@kubevirt-ts/libvmi'
import { replicaSetOf } from '../src/watch/replicaset/controller.ts'
import { reconcile } from '../src/watch/replicaset/reconcile.ts'
import { eventLog, freshLister, settle, unbothered } from './fresh-caches.ts'

function setOf(replicas: number, extra: object = {}): VirtualMachineInstanceReplicaSet {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceReplicaSet',
    metadata: { name: 'web', namespace: 'default', uid: 'set' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: vmi().spec },
      ...extra,
    },
  }
}

function world(set: VirtualMachineInstanceReplicaSet, ...others: VirtualMachineInstance[]) {
  const client = fakeClient([set, ...others])
  const events = eventLog()
  const problems: unknown[] = []
  const deps = {
    client,
    replicaSets: freshLister(client, virtualMachineInstanceReplicaSets),
    vmis: freshLister(client, virtualMachineInstances, { byReplicaSet: replicaSetOf }),
    events,
    ...unbothered,
    now: () => new Date('2026-01-01T00:00:00Z'),
  }
  const pass = (): Promise<unknown> => reconcile('default/web', deps).catch((error: unknown) => problems.push(error))
  const reference = { namespace: 'default', name: 'web' }
  return {
    client,
    problems,
    told: events.told,
    settle: () => settle(client, [virtualMachineInstanceReplicaSets, virtualMachineInstances], pass),
    guests: () => client.objects(virtualMachineInstances),
    status: () => client.objects(virtualMachineInstanceReplicaSets)[0]?.status,
    change: (spec: object) => client.patch(virtualMachineInstanceReplicaSets, reference, { spec }, { type: 'merge' }),
    setGuest: (name: string, status: object) =>
      client.patch(virtualMachineInstances, { namespace: 'default', name }, { status }, { type: 'merge' }),
  }
}

const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }

test('a set creates its guests under generated names and counts them', async () => {
  const { settle: rest, guests, status, setGuest, told } = world(setOf(3))
  await rest()
  expect(guests()).toHaveLength(3)
  for (const guest of guests()) {
    expect(guest.metadata.name).toMatch(/^web-.{5}$/)
    expect(guest.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachineInstanceReplicaSet', uid: 'set' }])
  }
  await setGuest(guests()[0]!.metadata.name, running)
  await rest()
  expect(status()).toEqual({ replicas: 3, readyReplicas: 1, labelSelector: 'app=web' })
  expect(told).toEqual(Array.from({ length: 3 }, () => 'VirtualMachineInstanceReplicaSet SuccessfulCreate'))
})

test('scaling in deletes guests that do not run before those that do', async () => {
  const { settle: rest, guests, change, setGuest } = world(setOf(3))
  await rest()
  const kept = guests()[1]!.metadata.name
  await setGuest(kept, running)
  await change({ replicas: 1 })
  await rest()
  expect(guests().map(({ metadata }) => metadata.name)).toEqual([kept])
})

test('a guest that is over is deleted and replaced', async () => {
  const { settle: rest, guests, setGuest } = world(setOf(1))
  await rest()
  const first = guests()[0]!.metadata.name
  await setGuest(first, { phase: 'Failed' })
  await rest()
  expect(guests()).toHaveLength(1)
  expect(guests()[0]!.metadata.name).not.toBe(first)
})

test('a paused set leaves its guests alone and says so', async () => {
  const { settle: rest, guests, status, change, told } = world(setOf(2, { paused: true }))
  await rest()
  expect(guests()).toHaveLength(0)
  expect(status()?.conditions).toMatchObject([{ type: 'ReplicaPaused', status: 'True', reason: 'Paused' }])
  await change({ paused: false })
  await rest()
  expect(guests()).toHaveLength(2)
  expect(status()?.conditions).toBeUndefined()
  expect(told.slice(0, 1)).toEqual(['VirtualMachineInstanceReplicaSet SuccessfulPaused'])
  expect(told).toContain('VirtualMachineInstanceReplicaSet SuccessfulResumed')
})

test('an orphan that is selected is adopted, another owner’s guest is not, a stray member is let go', async () => {
  const orphan = vmi(withName('orphan'), withUid('o'), withLabel('app', 'web'))
  const foreign = vmi(withName('foreign'), withUid('f'), withLabel('app', 'web'))
  foreign.metadata.ownerReferences = [
    { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'foreign', uid: 'vm', controller: true },
  ]
  const stray = vmi(withName('stray'), withUid('s'), withLabel('app', 'other'))
  stray.metadata.ownerReferences = [
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceReplicaSet',
      name: 'web',
      uid: 'set',
      controller: true,
    },
  ]
  const { settle: rest, guests } = world(setOf(1), orphan, foreign, stray)
  await rest()
  const owners = Object.fromEntries(
    guests().map(({ metadata }) => [metadata.name, metadata.ownerReferences?.map(({ uid }) => uid)]),
  )
  expect(owners).toEqual({ orphan: ['set'], foreign: ['vm'], stray: [] })
})

test('a refused creation is told as ReplicaFailure and costs few requests', async () => {
  const { client, settle: rest, status, problems } = world(setOf(200))
  const stop = client.intercept(({ verb }) => {
    if (verb === 'create') throw new Error('exceeded quota: small')
  })
  await rest()
  expect(status()?.conditions).toMatchObject([{ type: 'ReplicaFailure', reason: 'FailedCreate' }])
  expect(status()?.conditions?.[0]?.message).toContain('exceeded quota: small')
  expect(problems.length).toBeGreaterThan(0)
  expect(client.writes().filter(({ verb }) => verb === 'create').length).toBe(problems.length)
  stop()
  await rest()
  expect(status()).toMatchObject({ replicas: 200 })
  expect(status()?.conditions).toBeUndefined()
})

test('one pass creates a burst at most, and nothing while an earlier burst is not yet seen', async () => {
  const { client, guests } = world(setOf(300))
  const deps = {
    client,
    replicaSets: freshLister(client, virtualMachineInstanceReplicaSets),
    vmis: freshLister(client, virtualMachineInstances, { byReplicaSet: replicaSetOf }),
    events: eventLog(),
    expectations: new Expectations(),
    ownWrites: unbothered.ownWrites,
    now: () => new Date('2026-01-01T00:00:00Z'),
  }
  await reconcile('default/web', deps)
  await reconcile('default/web', deps)
  expect(guests()).toHaveLength(250)
  for (let seen = 0; seen < 250; seen++) deps.expectations.creationObserved('default/web')
  await reconcile('default/web', deps)
  expect(guests()).toHaveLength(300)
})

test('a selector that does not select the template creates nothing and says why', async () => {
  const { settle: rest, guests, status, problems } = world(setOf(1, { selector: { matchLabels: { app: 'db' } } }))
  await rest()
  expect(guests()).toHaveLength(0)
  expect(status()?.conditions).toMatchObject([{ type: 'ReplicaFailure', reason: 'InvalidSelector' }])
  expect(problems).toEqual([])
})
