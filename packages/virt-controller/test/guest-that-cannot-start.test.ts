import { expect, test } from '@jest/globals'
import { events, pods } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { vm, vmi, withMemory, withName, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { alwaysVm } from './always-vm.ts'
import { createWorld, createWorldWith } from './world.ts'
import type { World } from './world.ts'

test('a missing claim is named, and its appearance starts the guest', async () => {
  const object = alwaysVm()
  object.spec.template.spec?.volumes?.push({ name: 'data', persistentVolumeClaim: { claimName: 'disk' } })
  const world = createWorld(object)
  await world.settle()
  expect(world.pod()).toBeUndefined()
  expect(world.vm()?.status?.printableStatus).toBe('ErrorPvcNotFound')
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Synchronized',
      reason: 'FailedPvcNotFound',
      message: expect.stringContaining('default/disk'),
    }),
  )
  expect(world.vm()?.status?.conditions).toContainEqual(expect.objectContaining({ reason: 'FailedPvcNotFound' }))
  expect(world.events.filter((event) => event.endsWith('FailedPvcNotFound'))).toHaveLength(1)

  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'disk', namespace: 'default' },
    spec: {},
  }
  const claims = {
    group: '',
    version: 'v1',
    plural: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    namespaced: true,
  }
  await world.client.create(claims, claim)
  const bound = { status: { phase: 'Bound' } }
  await world.client.patch(claims, { namespace: 'default', name: 'disk' }, bound, {
    type: 'merge',
    subresource: 'status',
  })
  await world.settle()
  expect(world.pod()).toBeDefined()
  expect(world.vmi()?.status?.conditions?.some(({ type }) => type === 'Synchronized')).toBe(false)
})

test('an image that cannot be pulled is named', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()
  const waiting = { reason: 'ImagePullBackOff', message: 'not found' }
  const status = { phase: 'Pending', containerStatuses: [{ name: 'compute', image: '', state: { waiting } }] }
  const pod = world.pod()?.metadata.name ?? ''
  await world.client.patch(
    pods,
    { namespace: 'default', name: pod },
    { status },
    { type: 'merge', subresource: 'status' },
  )
  await world.settle()

  expect(world.vm()?.status?.printableStatus).toBe('ImagePullBackOff')
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      reason: 'ImagePullBackOff',
      message: expect.stringContaining('registry.example/virt-launcher:v1'),
    }),
  )
})

/** Plays the kubelet of a node that has the pod, and cannot begin to start it. */
async function hang(world: World, reason: string, message: string): Promise<void> {
  const reference = { namespace: 'default', name: world.pod()?.metadata.name ?? '' }
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  const waiting = { reason: 'ContainerCreating' }
  const status = {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime }],
    containerStatuses: [{ name: 'compute', image: '', state: { waiting } }],
  }
  await world.client.patch(pods, reference, { spec: { nodeName: 'node01' } }, { type: 'merge' })
  await world.client.patch(pods, reference, { status }, { type: 'merge', subresource: 'status' })
  await tellEvent(world, 'Warning', reason, message, lastTransitionTime)
}

async function tellEvent(world: World, type: string, reason: string, message: string, lastTimestamp: string) {
  const { name = '', uid = '' } = world.pod()?.metadata ?? {}
  await world.client.create(events, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${reason}`, namespace: 'default' },
    involvedObject: { kind: 'Pod', name, namespace: 'default', uid },
    type,
    reason,
    message,
    lastTimestamp,
  })
}

const synchronized = (world: World) =>
  world.vmi()?.status?.conditions?.find(({ type, status }) => type === 'Synchronized' && status === 'False')

const noFolder = 'MountVolume.SetUp failed for volume "data" : hostPath type check failed: /srv/vms is not a directory'

test('a folder that the node does not have is told in the words of its kubelet, once the pod hangs', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()
  await hang(world, 'FailedMount', noFolder)
  world.pass(19_000)
  await world.settle()
  expect(synchronized(world)).toBeUndefined()

  world.pass(2_000)
  await world.settle()
  expect(synchronized(world)).toMatchObject({
    reason: 'FailedMount',
    message: `pod ${world.pod()?.metadata.name} cannot start on node node01: ${noFolder}`,
  })
  expect(world.vm()?.status?.conditions).toContainEqual(expect.objectContaining({ reason: 'FailedMount' }))
  expect(world.vm()?.status?.printableStatus).toBe('Starting')
  const asked = () => world.client.calls.filter(({ verb, resource }) => verb === 'list' && resource === 'events').length
  expect(asked()).toBe(1)
  world.pass(61_000)
  await world.settle()
  expect(asked()).toBe(2)

  await world.kubelet('running')
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Scheduled')
  expect(synchronized(world)).toBeUndefined()
})

test('a folder that has come meanwhile is no problem any more, however long the image takes', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()
  await hang(world, 'FailedMount', noFolder)
  world.pass(21_000)
  await world.settle()
  expect(synchronized(world)?.reason).toBe('FailedMount')
  await tellEvent(world, 'Normal', 'Pulling', 'Pulling image "registry.example/disk:1"', '2026-01-01T00:01:00Z')
  world.pass(61_000)
  await world.settle()
  expect(synchronized(world)).toBeUndefined()
})

test('a pod that only takes its time is no problem, nor is one whose events may not be read', async () => {
  const world = createWorld(alwaysVm())
  await world.settle()
  await hang(world, 'Unhealthy', 'of no concern')
  world.pass(30_000)
  await world.settle()
  expect(synchronized(world)).toBeUndefined()

  world.client.intercept(({ verb, resource }) => {
    if (verb === 'list' && resource === 'events') throw new ApiError({ code: 403 }, { request: 'GET events' })
  })
  world.pass(61_000)
  await world.settle()
  expect(synchronized(world)).toBeUndefined()
  expect(world.problems).toEqual([])
})

test('a refused pod is told in the condition and retried', async () => {
  const world = createWorld(alwaysVm())
  const stop = world.client.intercept(({ verb, resource }) => {
    if (verb !== 'create' || resource !== 'pods') return
    throw new ApiError({ code: 403, reason: 'Forbidden', message: 'exceeded quota: small' }, { request: 'POST pods' })
  })
  await world.settle()
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({ reason: 'FailedCreate', message: expect.stringContaining('exceeded quota: small') }),
  )
  expect(world.problems.length).toBeGreaterThan(0)

  stop()
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
})

test("a VMI of the VM's name that somebody else owns is left alone", async () => {
  const foreign = vmi(withName('web'), withUid('other'))
  foreign.metadata.namespace = 'default'
  foreign.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'o', controller: true }]
  const world = createWorld(alwaysVm(), foreign)
  await world.settle()

  expect(world.vmi()?.metadata.uid).toBe('other')
  expect(world.vm()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Failure',
      reason: 'FailedCreate',
      message: expect.stringContaining('does not own'),
    }),
  )
})

const invariant = (minimumClusterTSCFrequency?: number): World => {
  const template = vmi(withName('web'), withMemory('64Mi'), (object) => {
    object.spec.domain.cpu = { features: [{ name: 'invtsc', policy: 'require' }] }
  })
  const machine = vm(template, withUid('vm-uid'), withRunStrategy('Always'))
  const developerConfiguration = {
    useEmulation: true,
    ...(minimumClusterTSCFrequency && { minimumClusterTSCFrequency }),
  }
  return createWorldWith({ developerConfiguration }, machine)
}

test('a guest with an invariant clock only runs where the frequency is that of the cluster', async () => {
  const world = invariant(2_000_000)
  await world.settle()
  expect(world.vmi()?.status?.topologyHints).toEqual({ tscFrequency: 2_000_000 })
  expect(world.pod()?.spec.nodeSelector).toMatchObject({ 'scheduling.node.kubevirt.io/tsc-frequency-2000000': 'true' })
})

test('a guest with an invariant clock says that no node knows its frequency', async () => {
  const world = invariant()
  await world.settle()
  expect(world.pod()).toBeUndefined()
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Synchronized',
      reason: 'FailedGatherhingClusterTopologyHints',
      message: expect.stringContaining('minimumClusterTSCFrequency'),
    }),
  )
  expect(world.events).toContain('VirtualMachineInstance FailedGatherhingClusterTopologyHints')
})

test('a RerunOnFailure VM whose first start was refused is started all the same', async () => {
  const world = createWorld(alwaysVm(withRunStrategy('RerunOnFailure')))
  let refusals = 1
  world.client.intercept(({ resource, verb }) => {
    if (resource !== 'virtualmachineinstances' || verb !== 'create' || refusals-- <= 0) return
    throw new ApiError({ code: 409, reason: 'Conflict' }, { request: 'POST' })
  })
  await world.settle()
  expect(world.vmi()).toBeDefined()
  expect(world.vm()?.status?.runStrategy).toBe('RerunOnFailure')
})

test('a guest with CPUs of its own is not handed over in a pod that is not guaranteed them', async () => {
  const template = vmi(withName('web'), withMemory('64Mi'), (object) => {
    object.spec.domain.cpu = { cores: 1, dedicatedCpuPlacement: true }
  })
  const world = createWorld(vm(template, withUid('vm-uid'), withRunStrategy('Always')))
  await world.settle()
  await world.kubelet('running')
  await world.settle()
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
  expect(synchronized(world)).toMatchObject({
    reason: 'FailedGuaranteeResources',
    message: expect.stringContaining('Burstable'),
  })
  expect(world.events.filter((event) => event.endsWith('FailedGuaranteeResources'))).toHaveLength(1)
})
