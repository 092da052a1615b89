import { expect, test } from '@jest/globals'
import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { vmi, withContainerDisk, withMemory, withName, withRunStrategy } from '@kubevirt-ts/libvmi'
import { alwaysVm, reference, runningWorld } from './always-vm.ts'
import { createWorld, untilRunning } from './world.ts'

test('a guest whose owner gives other backup hooks has them on its pod, and its own back without them', async () => {
  const world = await runningWorld()
  const command = 'pre.hook.backup.velero.io/command'
  expect(world.pod()?.metadata.annotations?.[command]).toContain('--freeze')
  const annotate = async (annotations: Record<string, string | null>): Promise<void> => {
    await world.client.patch(virtualMachineInstances, reference, { metadata: { annotations } }, { type: 'merge' })
    await world.settle()
  }
  await annotate({ [command]: '["/bin/true"]' })
  expect(world.pod()?.metadata.annotations?.[command]).toBe('["/bin/true"]')
  await annotate({ [command]: null })
  expect(world.pod()?.metadata.annotations?.[command]).toContain('--freeze')
  await annotate({ 'kubevirt.io/skip-backup-hooks': 'true' })
  expect(Object.keys(world.pod()?.metadata.annotations ?? {}).filter((key) => key.includes('velero'))).toEqual([])
})

test('a guest whose pod may not be written says so', async () => {
  const world = await runningWorld()
  let isRefused = true
  world.client.intercept(({ resource, verb }) => {
    if (resource === 'pods' && verb === 'patch' && isRefused)
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'a policy says no' }, { request: 'PATCH' })
  })
  const paused = [...(world.vmi()?.status?.conditions ?? []), { type: 'Paused', status: 'True' }]
  await world.client.patch(virtualMachineInstances, reference, { status: { conditions: paused } }, { type: 'merge' })
  await world.settle()
  const told = () => world.vmi()?.status?.conditions?.find(({ type }) => type === 'Synchronized')
  expect(told()).toMatchObject({ reason: 'FailedPodPatch', message: expect.stringContaining('a policy says no') })
  isRefused = false
  await world.settle()
  expect(told()).toBeUndefined()
})

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

test('labels and annotations that are synced go on to the running guest and its pod, and are taken away again', async () => {
  const world = await runningWorld()
  const evict = 'descheduler.alpha.kubernetes.io/evict'
  const describe = async (labels: object, annotations: object): Promise<void> => {
    const body = { spec: { template: { metadata: { labels, annotations } } } }
    await world.client.patch(virtualMachines, reference, body, { type: 'merge' })
    await world.settle()
  }
  await describe({ team: 'red', other: 'x' }, { [evict]: 'true', 'example.com/note': 'hello', other: 'x' })
  for (const metadata of [world.vmi()?.metadata, world.pod()?.metadata]) {
    expect(metadata?.labels).toMatchObject({ team: 'red' })
    expect(metadata?.labels).not.toHaveProperty('other')
    expect(metadata?.annotations).toMatchObject({ [evict]: 'true', 'example.com/note': 'hello' })
    expect(metadata?.annotations).not.toHaveProperty('other')
  }
  await describe({ team: null }, { [evict]: null, 'example.com/note': null })
  for (const metadata of [world.vmi()?.metadata, world.pod()?.metadata]) {
    expect(metadata?.labels).not.toHaveProperty('team')
    expect(metadata?.annotations).not.toHaveProperty([evict])
    expect(metadata?.annotations).not.toHaveProperty(['example.com/note'])
  }
  expect(world.pod()?.metadata.labels).toHaveProperty(['kubevirt.io/nodeName'], 'node01')
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
  const mark = 'descheduler.alpha.kubernetes.io/eviction-in-progress'
  expect(world.pod()?.metadata.annotations).toHaveProperty([mark])
  await leave(null)
  expect(world.pod()?.metadata.annotations).not.toHaveProperty([mark])
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

test('that a restart is needed is told until the guest is gone, and not of the next one', async () => {
  const world = await runningWorld()
  const needsRestart = () => world.vm()?.status?.conditions?.some(({ type }) => type === 'RestartRequired')
  const grace = (seconds: number | null) => ({
    spec: { template: { spec: { terminationGracePeriodSeconds: seconds } } },
  })
  await world.client.patch(virtualMachines, reference, grace(5), { type: 'merge' })
  await world.settle()
  expect(needsRestart()).toBe(true)
  // Nobody knows what the guest saw in between.
  await world.client.patch(virtualMachines, reference, grace(null), { type: 'merge' })
  await world.settle()
  expect(needsRestart()).toBe(true)

  const first = world.vmi()?.metadata.uid
  let conflicts = 0
  world.client.intercept(({ verb, resource, subresource }) => {
    const uid = world.vmi()?.metadata.uid
    if (verb !== 'update' || resource !== 'virtualmachines' || subresource !== 'status' || uid === undefined) return
    if (uid === first || conflicts++ > 0) return
    throw new ApiError({ code: 409, reason: 'Conflict' }, { request: 'PUT' })
  })
  await world.client.delete(virtualMachineInstances, reference)
  await world.settle()
  await world.agent('Succeeded')
  await untilRunning(world)
  expect(world.vmi()?.metadata.uid).not.toBe(first)
  expect(conflicts).toBeGreaterThan(0)
  expect(needsRestart()).toBe(false)
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
