import { expect, test } from '@jest/globals'
import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import { withRunStrategy } from '@kubevirt-ts/libvmi'
import { alwaysVm, reference, request } from './always-vm.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

type Strategy = Parameters<typeof withRunStrategy>[0]

const receiver = () => alwaysVm(withRunStrategy('WaitAsReceiver'))

async function waitingWorld(object = receiver()): Promise<World> {
  const world = createWorld(object)
  await world.settle()
  return world
}

const turnTo = (world: World, runStrategy: Strategy) =>
  world.client.patch(virtualMachines, reference, { spec: { runStrategy } }, { type: 'merge' })

/** Plays whoever moves guests between clusters: the guest runs here now. */
async function arrive(world: World, failed = false): Promise<void> {
  const status = { phase: 'Running', nodeName: 'node02', migrationState: { completed: true, failed } }
  await world.client.patch(virtualMachineInstances, reference, { status }, { type: 'merge' })
  await world.settle()
}

test('a receiver has a guest that waits to be sent, and no pod', async () => {
  const world = await waitingWorld()
  expect(world.vmi()).toMatchObject({
    metadata: { annotations: { 'kubevirt.io/create-migration-target': 'true' } },
    status: { phase: 'WaitingForSync' },
  })
  expect(world.vmi()?.status?.phaseTransitionTimestamps?.at(-1)?.phase).toBe('WaitingForSync')
  expect(world.pod()).toBeUndefined()
  expect(world.vm()?.status).toMatchObject({ created: true, ready: false, printableStatus: 'WaitingForReceiver' })
  expect(world.problems).toEqual([])
  const version = world.vmi()?.metadata.resourceVersion
  world.pass(600_000)
  await world.settle()
  expect(world.vmi()?.metadata.resourceVersion).toBe(version)
})

test('a guest that is no VM’s and is to be sent waits as well', async () => {
  const object = alwaysVm(withRunStrategy('Always'))
  object.spec.template.metadata = { annotations: { 'kubevirt.io/create-migration-target': 'true' } }
  const world = await waitingWorld(object)
  expect(world.vmi()?.status?.phase).toBe('WaitingForSync')
  expect(world.pod()).toBeUndefined()
  expect(world.vmi()?.metadata.deletionTimestamp).toBeUndefined()
})

test('a claim that the guest will need is missed while it waits', async () => {
  const object = receiver()
  object.spec.template.spec?.volumes?.push({ name: 'data', persistentVolumeClaim: { claimName: 'disk' } })
  const world = await waitingWorld(object)
  expect(world.vmi()?.status?.phase).toBe('WaitingForSync')
  expect(world.vm()?.status?.printableStatus).toBe('ErrorPvcNotFound')
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({ reason: 'FailedPvcNotFound', message: expect.stringContaining('default/disk') }),
  )
})

test.each<[noted: string | undefined, failed: boolean, strategy: Strategy]>([
  ['RerunOnFailure', false, 'RerunOnFailure'],
  ['Always', false, 'Always'],
  ['RerunOnFailure', true, 'WaitAsReceiver'],
  ['WaitAsReceiver', false, 'WaitAsReceiver'],
  ['Sometimes', false, 'WaitAsReceiver'],
  [undefined, false, 'WaitAsReceiver'],
])('after the move of a VM that noted %s (failed: %s) it is %s', async (noted, failed, strategy) => {
  const object = receiver()
  if (noted !== undefined) object.metadata.annotations = { 'kubevirt.io/restore-run-strategy': noted }
  const world = await waitingWorld(object)
  await arrive(world, failed)
  expect(world.vm()?.spec.runStrategy).toBe(strategy)
  expect(world.vmi()).toMatchObject({ metadata: { name: 'web' }, status: { phase: 'Running' } })
  expect(world.vmi()?.metadata.deletionTimestamp).toBeUndefined()
})

test.each<[strategy: Strategy, phase: string | undefined]>([
  ['Halted', undefined],
  ['Manual', undefined],
  ['Always', 'Scheduling'],
  ['Once', 'Scheduling'],
  ['RerunOnFailure', 'Scheduling'],
])('a receiver that becomes %s waits no longer', async (strategy, phase) => {
  const world = await waitingWorld()
  const waiting = world.vmi()?.metadata.uid
  await turnTo(world, strategy)
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe(phase)
  expect(world.vmi()?.metadata.uid).not.toBe(waiting)
  expect(world.vmi()?.metadata.annotations?.['kubevirt.io/create-migration-target']).toBeUndefined()
})

test('a restart of a receiver ends with another guest that waits', async () => {
  const world = await waitingWorld()
  const uid = world.vmi()?.metadata.uid
  await request(world, { action: 'Stop', uid }, { action: 'Start' })
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('WaitingForSync')
  expect(world.vmi()?.metadata.uid).not.toBe(uid)
  expect(world.vm()?.status?.stateChangeRequests).toBeUndefined()
})

test('a receiver that is deleted leaves nothing', async () => {
  const world = await waitingWorld()
  await world.client.delete(virtualMachines, reference)
  await world.settle()
  expect(world.vmi()).toBeUndefined()
  expect(world.vm()).toBeUndefined()
})
