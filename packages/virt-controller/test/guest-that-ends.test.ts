import { expect, test } from '@jest/globals'
import { virtualMachineInstances } from '@kubevirt-ts/api'
import { withRunStrategy } from '@kubevirt-ts/libvmi'
import { alwaysVm, reference, request, runningWorld } from './always-vm.ts'
import { createWorld, untilRunning } from './world.ts'

test('deleting the VMI of an Always VM brings a new one', async () => {
  const world = await runningWorld()
  const first = world.vmi()?.metadata.uid
  await world.client.delete(virtualMachineInstances, reference)
  await world.settle()
  expect(world.vm()?.status?.printableStatus).toBe('Stopping')
  await world.agent('Succeeded')
  await world.podGone().catch(() => undefined)
  await world.settle()

  expect(world.vmi()?.metadata.uid).not.toBe(first)
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
})

test('a deletion that the node agent could not report is told by the exit code of compute', async () => {
  const world = createWorld(alwaysVm(withRunStrategy('Manual')))
  await request(world, { action: 'Start' })
  await untilRunning(world)
  // The VM's controller would let the VMI go at once; here its last state is to be seen.
  await world.client.patch(
    virtualMachineInstances,
    reference,
    { metadata: { finalizers: ['test/keep'] } },
    { type: 'merge' },
  )
  await world.kubelet({ exitCode: 0 })
  await world.settle()
  await world.client.delete(virtualMachineInstances, reference)
  await world.podGone()
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Running')
  world.pass(5_000)
  await world.settle()

  expect(world.vmi()?.status?.phase).toBe('Succeeded')
})

test('a pod that vanishes under a running guest fails the VMI, and the VM starts a new one', async () => {
  const world = await runningWorld()
  const first = world.vmi()?.metadata.uid
  await world.podGone()
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Running')
  world.pass(5_000)
  await world.settle()

  expect(world.vmi()?.metadata.uid).not.toBe(first)
  expect(world.vm()?.status?.startFailure).toBeUndefined()
})

test('guests that never come up are started more and more slowly', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()
  await world.kubelet({ exitCode: 1 })
  await world.settle()
  await world.podGone().catch(() => undefined)
  await world.settle()

  expect(world.vm()?.status).toMatchObject({
    printableStatus: 'CrashLoopBackOff',
    startFailure: { consecutiveFailCount: 1, retryAfterTimestamp: '2026-01-01T00:00:10Z' },
  })
  expect(world.vmi()).toBeUndefined()
  world.pass(10_000)
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
})

test('a VMI that nobody handed over fails with its pod', async () => {
  const world = createWorld(alwaysVm(withRunStrategy('Once')))
  await world.settle()
  await world.kubelet({ exitCode: 2 })
  await world.settle()

  expect(world.vmi()?.status).toMatchObject({ phase: 'Failed', reason: 'LauncherPodFailed' })
  expect(world.events).toContain('VirtualMachineInstance LauncherPodFailed')
  expect(world.vm()?.status?.printableStatus).toBe('CrashLoopBackOff')
})
