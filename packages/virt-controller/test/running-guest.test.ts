import { expect, test } from '@jest/globals'
import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import { vmi, withContainerDisk, withMemory, withName, withRunStrategy } from '@kubevirt-ts/libvmi'
import { alwaysVm, reference, runningWorld } from './always-vm.ts'
import { createWorld } from './world.ts'

test('a guest in an old launcher is marked, on its pod too, until it runs in a new one', async () => {
  const world = await runningWorld()
  const mark = 'kubevirt.io/outdatedLauncherImage'
  const container = (image: string) => ({ spec: { containers: [{ name: 'compute', image }] } })
  const pod = { namespace: 'default', name: world.pod()?.metadata.name ?? '' }
  expect(world.vmi()?.metadata.labels).not.toHaveProperty([mark])
  await world.client.patch(pods, pod, container('registry.example/virt-launcher:v0'), { type: 'merge' })
  await world.settle()
  expect(world.vmi()?.metadata.labels).toHaveProperty([mark], '')
  expect(world.pod()?.metadata.labels).toHaveProperty([mark], '')
  await world.client.patch(pods, pod, container('registry.example/virt-launcher:v1'), { type: 'merge' })
  await world.settle()
  expect(world.vmi()?.metadata.labels).not.toHaveProperty([mark])
})

test('a guest that is to leave its node says so while it is there', async () => {
  const world = await runningWorld()
  const leave = async (evacuationNodeName: string | null): Promise<void> => {
    await world.client.patch(virtualMachineInstances, reference, { status: { evacuationNodeName } }, { type: 'merge' })
    await world.settle()
  }
  const asked = expect.objectContaining({ type: 'EvictionRequested', status: 'True' })
  await leave('node01')
  expect(world.vmi()?.status?.conditions).toContainEqual(asked)
  await leave(null)
  expect(world.vmi()?.status?.conditions).not.toContainEqual(asked)
})

test('a running guest takes over what its template changed, and only the rest waits for a restart', async () => {
  const world = await runningWorld()
  const patch = (spec: object) =>
    world.client.patch(virtualMachines, reference, { spec: { template: { spec } } }, { type: 'merge' })
  await patch({ nodeSelector: { disk: 'fast' } })
  await world.settle()
  expect(world.vmi()?.spec.nodeSelector).toEqual({ disk: 'fast' })
  expect(world.vm()?.status?.conditions?.some(({ type }) => type === 'RestartRequired')).toBe(false)

  await patch({ terminationGracePeriodSeconds: 5 })
  await world.settle()
  expect(world.vm()?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'RestartRequired', status: 'True' }),
  )
  await patch({ nodeSelector: { disk: 'slow' } })
  await world.settle()
  expect(world.vmi()?.spec.nodeSelector).toEqual({ disk: 'fast' })
})

test('a guest of the name that nobody owns is taken in, unless the VM would end it', async () => {
  const orphan = vmi(withName('web'), withContainerDisk('root', 'registry.example/disk:1'), withMemory('64Mi'))
  orphan.metadata.namespace = 'default'
  const adopting = createWorld(alwaysVm(), structuredClone(orphan))
  await adopting.settle()
  expect(adopting.vmi()?.metadata).toMatchObject({
    ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: 'vm-uid', controller: true }],
    finalizers: expect.arrayContaining(['kubevirt.io/virtualMachineControllerFinalize']),
  })
  expect(adopting.vm()?.status?.created).toBe(true)

  const halted = createWorld(alwaysVm(withRunStrategy('Halted')), structuredClone(orphan))
  await halted.settle()
  expect(halted.vmi()?.metadata.ownerReferences).toBeUndefined()
  expect(halted.vmi()?.metadata.deletionTimestamp).toBeUndefined()
})
