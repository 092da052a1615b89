import { expect, test } from '@jest/globals'
import { pods, virtualMachines } from '@kubevirt-ts/api'
import { alwaysVm, reference, request, runningWorld } from './always-vm.ts'
import { createWorld } from './world.ts'

test('an Always VM gets a VMI, a revision and a launcher pod', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()

  expect(world.vmi()?.metadata).toMatchObject({
    finalizers: ['kubevirt.io/virtualMachineControllerFinalize', 'kubevirt.io/foregroundDeleteVirtualMachine'],
    ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: 'vm-uid', controller: true }],
  })
  expect(world.vmi()?.status?.virtualMachineRevisionName).toMatch(/^revision-start-vm-vm-uid-\d+$/)
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
  expect(world.pod()?.metadata.labels).toMatchObject({ 'kubevirt.io': 'virt-launcher' })
  expect(world.vm()?.status).toMatchObject({ created: true, ready: false, printableStatus: 'Starting' })
  expect(world.events).toEqual(['VirtualMachine SuccessfulCreate', 'VirtualMachineInstance SuccessfulCreate'])
})

test('a guest that the template gives no firmware UUID keeps the one it got first', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()

  const uuid = world.vm()?.spec.template.spec?.domain.firmware?.uuid
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-/)
  expect(world.vmi()?.spec.domain.firmware?.uuid).toBe(uuid)
})

test('a ready pod hands the VMI to its node, with the label by which the node agent finds it', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()
  await world.kubelet('running')
  await world.settle()

  expect(world.vmi()?.status).toMatchObject({ phase: 'Scheduled', nodeName: 'node01', migrationTransport: 'Unix' })
  expect(world.vmi()?.metadata.labels?.['kubevirt.io/nodeName']).toBe('node01')
  expect(world.pod()?.metadata.labels?.['kubevirt.io/nodeName']).toBe('node01')
  expect(world.pod()?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'kubevirt.io/virtual-machine-unpaused', status: 'True' }),
  )
})

test('a running guest makes VMI and VM ready', async () => {
  const world = await runningWorld()

  expect(world.vmi()?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }))
  expect(world.vm()?.status).toMatchObject({ ready: true, printableStatus: 'Running', runStrategy: 'Always' })
})

test('a VM needs few writes until its guest runs', async () => {
  const world = await runningWorld()

  const ours = world.client.writes().filter(({ body }) => !JSON.stringify(body ?? {}).includes('containerStatuses'))
  const byKind = (resource: string): number => ours.filter((call) => call.resource === resource).length
  // Of these the test itself makes one of the VMI's (the node agent's) and one of the pod's (the scheduler's).
  expect(byKind('virtualmachineinstances')).toBeLessThanOrEqual(5)
  expect(byKind('pods')).toBeLessThanOrEqual(3)
  expect(byKind('virtualmachines')).toBeLessThanOrEqual(6)
})

test('a stop request ends a Manual VM, a start request begins it again', async () => {
  const world = await runningWorld('Manual')
  const uid = world.vmi()?.metadata.uid
  await request(world, { action: 'Stop', uid })
  await world.settle()
  await world.agent('Succeeded')
  await world.podGone().catch(() => undefined)
  await world.settle()
  expect(world.vmi()).toBeUndefined()
  expect(world.vm()?.status?.printableStatus).toBe('Stopped')
  expect(world.vm()?.status?.stateChangeRequests).toBeUndefined()

  await request(world, { action: 'Start', data: { paused: 'true' } })
  await world.settle()
  expect(world.vmi()?.spec.startStrategy).toBe('Paused')
})

test('a restart is a stop and a start', async () => {
  const world = await runningWorld('Manual')
  const uid = world.vmi()?.metadata.uid
  await request(world, { action: 'Stop', uid }, { action: 'Start' })
  await world.settle()
  await world.agent('Succeeded')
  await world.podGone().catch(() => undefined)
  await world.settle()

  expect(world.vmi()?.metadata.uid).not.toBe(uid)
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
})

test('a halted VM takes its guest down and keeps nothing of it', async () => {
  const world = await runningWorld()
  await world.client.patch(virtualMachines, reference, { spec: { runStrategy: 'Halted' } }, { type: 'merge' })
  await world.settle()
  await world.agent('Succeeded')
  await world.podGone().catch(() => undefined)
  await world.settle()

  expect(world.vmi()).toBeUndefined()
  expect(world.pod()).toBeUndefined()
  expect(world.vm()?.status).toMatchObject({ created: false, ready: false, printableStatus: 'Stopped' })
})

test('a deleted VM goes after its guest', async () => {
  const world = await runningWorld()
  await world.client.delete(virtualMachines, reference)
  await world.settle()
  expect(world.vm()?.status?.printableStatus).toBe('Terminating')
  await world.agent('Succeeded')
  await world.podGone().catch(() => undefined)
  await world.settle()

  expect(world.vmi()).toBeUndefined()
  expect(world.vm()).toBeUndefined()
})

test('two leaders that do not know of each other make one pod', async () => {
  const world = createWorld(alwaysVm())
  const rivals = world.client.intercept(async ({ verb, resource, body }) => {
    if (verb !== 'create' || resource !== 'pods') return
    rivals()
    await world.client.create(pods, structuredClone(body) as never, { namespace: 'default' })
  })
  await world.settle()

  expect(world.client.objects(pods)).toHaveLength(1)
  expect(world.problems).toEqual([])
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
})
