import { expect, test } from '@jest/globals'
import { persistentVolumeClaims, pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { KubeVirtConfiguration, PersistentVolumeClaim, VolumeStatus } from '@kubevirt-ts/api'
import { vm, vmi, withContainerDisk, withMemory, withName, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createWorldWith, untilRunning } from './world.ts'
import type { World } from './world.ts'

const namespace = 'default'
const reference = { namespace, name: 'web' }

function claim(name: string, phase = 'Bound', storageClassName = 'fast'): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, uid: `${name}-uid` },
    spec: { volumeMode: 'Filesystem', accessModes: ['ReadWriteOnce'], storageClassName },
    status: { phase },
  }
}

const storageClass = (name: string, volumeBindingMode: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'example.com/disk',
  volumeBindingMode,
})

async function runningWorld(settings: KubeVirtConfiguration, ...claims: PersistentVolumeClaim[]): Promise<World> {
  const template = vmi(withName('web'), withContainerDisk('root', 'registry.example/disk:1'), withMemory('64Mi'))
  const machine = vm(template, withUid('vm-uid'), withRunStrategy('Always'))
  const classes = [storageClass('fast', 'Immediate'), storageClass('local', 'WaitForFirstConsumer')]
  const world = createWorldWith(settings, machine, ...classes, ...(claims as never[]))
  await untilRunning(world)
  return world
}

const imperative = { developerConfiguration: { useEmulation: true, featureGates: ['HotplugVolumes'] } }

async function plugIn(world: World, ...names: string[]): Promise<void> {
  const spec = world.vm()?.spec.template.spec
  const volumes = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name, hotpluggable: true } }))
  const disks = names.map((name) => ({ name, disk: { bus: 'scsi' } }))
  const body = {
    spec: {
      template: {
        spec: {
          volumes: [...(spec?.volumes ?? []), ...volumes],
          domain: { devices: { disks: [...(spec?.domain.devices.disks ?? []), ...disks] } },
        },
      },
    },
  }
  await world.client.patch(virtualMachines, reference, body, { type: 'merge' })
  await world.settle()
}

async function unplug(world: World, name: string): Promise<void> {
  const spec = world.vm()?.spec.template.spec
  const others = <T extends { name: string }>(list: readonly T[] = []): T[] => list.filter((each) => each.name !== name)
  const body = {
    spec: {
      template: {
        spec: { volumes: others(spec?.volumes), domain: { devices: { disks: others(spec?.domain.devices.disks) } } },
      },
    },
  }
  await world.client.patch(virtualMachines, reference, body, { type: 'merge' })
  await world.settle()
}

/** Plays the kubelet for the pod with this name. */
async function podRuns(world: World, name: string | undefined): Promise<void> {
  const containerStatuses = [{ name: 'hotplug-disk', ready: true, state: { running: {} } }]
  const body = { status: { phase: 'Running', containerStatuses } }
  await world.client.patch(pods, { namespace, name: name ?? '' }, body, { type: 'merge', subresource: 'status' })
  await world.settle()
}

/** Plays the node agent: it mounted the volume, attached it, or took it out again. */
async function agentSays(world: World, name: string, phase: string): Promise<void> {
  const volumeStatus = world
    .vmi()
    ?.status?.volumeStatus?.map((each) => (each.name === name ? { ...each, phase } : each))
  const body = { status: { volumeStatus } }
  await world.client.patch(virtualMachineInstances, reference, body, { type: 'merge' })
  await world.settle()
}

const status = (world: World, name: string): VolumeStatus | undefined =>
  world.vmi()?.status?.volumeStatus?.find((each) => each.name === name)

const held = (world: World): (readonly string[])[] =>
  world
    .attachments()
    .map(({ spec }) => (spec.volumes ?? []).map(({ name }) => name).filter((n) => n !== 'hotplug-disks'))

test('a volume that the template declares is plugged into the running guest through a pod', async () => {
  const world = await runningWorld({}, claim('data'))
  await plugIn(world, 'data')

  expect(world.vmi()?.spec.volumes?.map(({ name }) => name)).toEqual(['root', 'data'])
  expect(world.vmi()?.spec.domain.devices.disks?.at(-1)).toEqual({ name: 'data', disk: { bus: 'scsi' } })
  expect(held(world)).toEqual([['data']])
  const pod = world.attachments()[0]!
  expect(status(world, 'data')).toMatchObject({
    phase: 'AttachedToNode',
    hotplugVolume: { attachPodName: pod.metadata.name },
    persistentVolumeClaimInfo: { claimName: 'data', volumeMode: 'Filesystem' },
  })
  expect(status(world, 'data')?.hotplugVolume?.attachPodUID).toBeUndefined()

  await podRuns(world, pod.metadata.name)
  expect(status(world, 'data')?.hotplugVolume).toEqual({
    attachPodName: pod.metadata.name,
    attachPodUID: pod.metadata.uid,
  })
  expect(world.vm()?.status?.conditions?.some(({ type }) => type === 'RestartRequired')).toBe(false)
})

test('a volume is taken out of the guest before its pod goes', async () => {
  const world = await runningWorld({}, claim('data'))
  await plugIn(world, 'data')
  await podRuns(world, world.attachments()[0]?.metadata.name)
  await agentSays(world, 'data', 'Ready')

  await unplug(world, 'data')
  expect(world.vmi()?.spec.volumes?.map(({ name }) => name)).toEqual(['root'])
  expect(held(world)).toEqual([['data']])
  expect(status(world, 'data')?.phase).toBe('Ready')

  await agentSays(world, 'data', 'UnMountedFromPod')
  expect(held(world)).toEqual([])
  expect(status(world, 'data')).toBeUndefined()
})

test('a second volume comes with a new pod for both, and the old pod holds the first until then', async () => {
  const world = await runningWorld({}, claim('a'), claim('b'))
  await plugIn(world, 'a')
  const first = world.attachments()[0]?.metadata
  await podRuns(world, first?.name)
  await agentSays(world, 'a', 'Ready')

  await plugIn(world, 'b')
  expect(held(world)).toEqual([['a'], ['a', 'b']])
  expect(status(world, 'a')?.hotplugVolume?.attachPodUID).toBe(first?.uid)

  const second = world.attachments()[1]?.metadata
  await podRuns(world, second?.name)
  expect(held(world)).toEqual([['a', 'b']])
  expect(status(world, 'a')).toMatchObject({ phase: 'Ready', hotplugVolume: { attachPodUID: second?.uid } })
})

test('a volume without a usable claim says why, and keeps no other volume from coming', async () => {
  const world = await runningWorld({}, claim('good'), claim('unbound', 'Pending'))
  await plugIn(world, 'missing', 'unbound', 'good')

  expect(held(world)).toEqual([['good']])
  expect(status(world, 'missing')).toMatchObject({
    phase: 'Pending',
    reason: 'FailedPvcNotFound',
    message: 'PVC default/missing does not exist',
  })
  expect(status(world, 'unbound')).toMatchObject({
    phase: 'Pending',
    reason: 'PVCNotReady',
    message: 'PVC default/unbound is not bound to a volume yet',
  })
})

test('a claim that waits for its first consumer gets one near the guest, and is attached when it is bound', async () => {
  const world = await runningWorld({}, claim('local', 'Pending', 'local'))
  await plugIn(world, 'local')

  const [trigger] = world.attachments()
  expect(trigger?.metadata.annotations?.['kubevirt.io/ephemeral-provisioning']).toBe('true')
  expect(status(world, 'local')?.phase).toBe('Pending')

  const body = { status: { phase: 'Bound' } }
  await world.client.patch(persistentVolumeClaims, { namespace, name: 'local' }, body, {
    type: 'merge',
    subresource: 'status',
  })
  await world.settle()
  expect(held(world)).toEqual([['local']])
  expect(world.attachments()[0]?.metadata.uid).not.toBe(trigger?.metadata.uid)
})

test('a volume whose pod was lost is attached through a new one', async () => {
  const world = await runningWorld({}, claim('data'))
  await plugIn(world, 'data')
  const lost = world.attachments()[0]!
  await world.client.delete(pods, { namespace, name: lost.metadata.name })
  await world.settle()

  expect(held(world)).toEqual([['data']])
  expect(world.attachments()[0]?.metadata.uid).not.toBe(lost.metadata.uid)
})

test('the pods go with the guest', async () => {
  const world = await runningWorld({}, claim('data'))
  await plugIn(world, 'data')
  await podRuns(world, world.attachments()[0]?.metadata.name)
  await world.agent('Succeeded')
  await world.kubelet({ exitCode: 0 })
  await world.settle()
  expect(held(world)).toEqual([])
})

test('a request in the status plugs a volume into template and guest, and out again', async () => {
  const world = await runningWorld(imperative, claim('data'))
  const request = async (...volumeRequests: object[]): Promise<void> => {
    const body = { status: { volumeRequests } }
    await world.client.patch(virtualMachines, reference, body, { type: 'merge', subresource: 'status' })
    await world.settle()
  }
  const volumeSource = { persistentVolumeClaim: { claimName: 'data', hotpluggable: true } }
  await request({ addVolumeOptions: { name: 'data', disk: { name: 'data', disk: { bus: 'scsi' } }, volumeSource } })

  expect(world.vm()?.spec.template.spec?.volumes?.map(({ name }) => name)).toEqual(['root', 'data'])
  expect(world.vmi()?.spec.volumes?.map(({ name }) => name)).toEqual(['root', 'data'])
  expect(world.vm()?.status?.volumeRequests).toBeUndefined()
  expect(held(world)).toEqual([['data']])

  await request({ removeVolumeOptions: { name: 'data' } })
  expect(world.vm()?.spec.template.spec?.volumes?.map(({ name }) => name)).toEqual(['root'])
  expect(world.vmi()?.spec.volumes?.map(({ name }) => name)).toEqual(['root'])
  expect(world.vm()?.status?.volumeRequests).toBeUndefined()
  expect(held(world)).toEqual([])
})

test('a claim without a volume keeps the guest from starting and is named', async () => {
  const template = vmi(withName('web'), withMemory('64Mi'), (object) => {
    object.spec.volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }]
  })
  const machine = vm(template, withUid('vm-uid'), withRunStrategy('Always'))
  const unbound = claim('disk', 'Pending') as never
  const world = createWorldWith({}, machine, storageClass('fast', 'Immediate'), unbound)
  await world.settle()

  expect(world.pod()).toBeUndefined()
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Synchronized',
      status: 'False',
      reason: 'PVCNotReady',
      message: 'PVC default/disk is not bound: storage class fast has made no volume for it yet',
    }),
  )

  await world.client.patch(
    persistentVolumeClaims,
    { namespace, name: 'disk' },
    { status: { phase: 'Bound' } },
    { type: 'merge', subresource: 'status' },
  )
  await world.settle()
  expect(world.pod()).toBeDefined()
})

test('a claim that waits for its first consumer gets the launcher itself', async () => {
  const template = vmi(withName('web'), withMemory('64Mi'), (object) => {
    object.spec.volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }]
  })
  const machine = vm(template, withUid('vm-uid'), withRunStrategy('Always'))
  const waiting = claim('disk', 'Pending', 'local') as never
  const world = createWorldWith({}, machine, storageClass('local', 'WaitForFirstConsumer'), waiting)
  await world.settle()
  expect(world.pod()).toBeDefined()
})
