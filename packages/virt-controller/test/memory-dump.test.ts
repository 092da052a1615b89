import { expect, test } from '@jest/globals'
import { persistentVolumeClaims, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim, VirtualMachineInstanceSpec, VolumeStatus } from '@kubevirt-ts/api'
import { alwaysVm, reference, request as requestState } from './always-vm.ts'
import { createWorld, untilRunning } from './world.ts'
import type { World } from './world.ts'

const claim: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'memory', namespace: 'default', uid: 'memory-uid' },
  spec: { volumeMode: 'Filesystem', accessModes: ['ReadWriteOnce'] },
  status: { phase: 'Bound' },
}

async function dumpingWorld(): Promise<World> {
  const world = createWorld(alwaysVm(), claim as never)
  await untilRunning(world)
  await ask(world, { claimName: 'memory', phase: 'Associating' })
  return world
}

/** Writes the request as virt-api does. */
async function ask(world: World, wanted: object): Promise<void> {
  const patch = [{ op: 'add', path: '/status/memoryDumpRequest', value: wanted }]
  await world.client.patch(virtualMachines, reference, patch, { type: 'json', subresource: 'status' })
  await world.settle()
}

/** Plays the node agent: what it tells of the claim, or that the guest let go of it. */
async function tell(world: World, phase: string | undefined, more: Partial<VolumeStatus> = {}): Promise<void> {
  const others = (world.vmi()?.status?.volumeStatus ?? []).filter(({ name }) => name !== 'memory')
  const own = { name: 'memory', target: '', phase, hotplugVolume: {}, ...more }
  const body = { status: { volumeStatus: phase === undefined ? others : [...others, own] } }
  await world.client.patch(virtualMachineInstances, reference, body, { type: 'merge' })
  await world.settle()
}

const dumps = (spec: VirtualMachineInstanceSpec | undefined) =>
  (spec?.volumes ?? []).filter(({ memoryDump }) => memoryDump !== undefined)
const requestOf = (world: World) => world.vm()?.status?.memoryDumpRequest
const noteOf = (world: World) =>
  world.client.objects(persistentVolumeClaims)[0]?.metadata.annotations?.['kubevirt.io/memory-dump']

const startTimestamp = '2026-01-01T00:00:01Z'
const endTimestamp = '2026-01-01T00:00:09Z'
const targetFileName = 'web-memory-20260101-000001.memory.dump'

async function dumped(world: World): Promise<void> {
  await tell(world, 'MemoryDumpInProgress', { memoryDumpVolume: { startTimestamp, targetFileName } })
  await tell(world, 'MemoryDumpCompleted', { memoryDumpVolume: { startTimestamp, endTimestamp, targetFileName } })
  await tell(world, undefined)
}

test('a dump that is asked for gives guest and template the claim, and takes it from the guest when it is done', async () => {
  const world = await dumpingWorld()
  expect(dumps(world.vmi()?.spec)).toEqual([
    { name: 'memory', memoryDump: { claimName: 'memory', hotpluggable: true } },
  ])
  expect(dumps(world.vm()?.spec.template.spec)).toHaveLength(1)
  expect(requestOf(world)).toEqual({ claimName: 'memory', phase: 'InProgress' })

  await tell(world, 'MemoryDumpInProgress', { memoryDumpVolume: { startTimestamp, targetFileName } })
  expect(requestOf(world)).toMatchObject({ phase: 'InProgress', startTimestamp })

  await tell(world, 'MemoryDumpCompleted', { memoryDumpVolume: { startTimestamp, endTimestamp, targetFileName } })
  expect(dumps(world.vmi()?.spec)).toEqual([])
  expect(requestOf(world)).toEqual({
    claimName: 'memory',
    phase: 'Unmounting',
    startTimestamp,
    endTimestamp,
    fileName: targetFileName,
  })

  await tell(world, undefined)
  expect(requestOf(world)?.phase).toBe('Completed')
  expect(noteOf(world)).toBe(targetFileName)
  expect(dumps(world.vmi()?.spec)).toEqual([])
  expect(dumps(world.vm()?.spec.template.spec)).toHaveLength(1)
  expect(world.vm()?.status?.conditions?.some(({ type }) => type === 'RestartRequired')).toBe(false)
})

test('a guest that starts after a dump does not dump again', async () => {
  const world = await dumpingWorld()
  await dumped(world)
  await requestState(world, { action: 'Stop', uid: world.vmi()?.metadata.uid })
  const before = world.vmi()?.metadata.uid
  await world.settle()
  await world.agent('Succeeded')
  await untilRunning(world)
  expect(world.vmi()?.metadata.uid).not.toBe(before)
  expect(dumps(world.vmi()?.spec)).toEqual([])
  expect(requestOf(world)?.phase).toBe('Completed')
})

test('the node agent tells why a dump failed, and another can be asked for', async () => {
  const world = await dumpingWorld()
  const message = 'Memory dump failed: no space left'
  await tell(world, 'MemoryDumpFailed', { message, memoryDumpVolume: { startTimestamp, endTimestamp } })
  expect(requestOf(world)).toMatchObject({ phase: 'Failed', message, endTimestamp })
  expect(dumps(world.vmi()?.spec)).toEqual([])
  expect(noteOf(world)).toBe('Memory dump failed')

  // The guest has not let go of the claim yet.
  await ask(world, { claimName: 'memory', phase: 'Associating' })
  expect(requestOf(world)?.phase).toBe('Associating')
  await tell(world, undefined)
  expect(requestOf(world)?.phase).toBe('InProgress')
  await dumped(world)
  expect(requestOf(world)?.phase).toBe('Completed')
  expect(noteOf(world)).toBe(targetFileName)
})

test('a guest that ends before its memory is dumped fails the request', async () => {
  const world = await dumpingWorld()
  await world.kubelet({ exitCode: 1 })
  await world.agent('Failed')
  await world.settle()
  expect(requestOf(world)).toMatchObject({ phase: 'Failed', message: expect.stringContaining('ended before') })
})

test('an association that is removed takes the claim off the template, and the claim stays', async () => {
  const world = await dumpingWorld()
  await dumped(world)
  await ask(world, { ...requestOf(world), remove: true, phase: 'Dissociating' })
  expect(requestOf(world)).toBeUndefined()
  expect(dumps(world.vm()?.spec.template.spec)).toEqual([])
  expect(world.client.objects(persistentVolumeClaims)).toHaveLength(1)
})
