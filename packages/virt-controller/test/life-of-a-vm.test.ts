import { expect, test } from '@jest/globals'
import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { vm, vmi, withContainerDisk, withMemory, withName, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createWorld, createWorldWith } from './world.ts'
import type { World } from './world.ts'

const reference = { namespace: 'default', name: 'web' }

function alwaysVm(...pieces: Parameters<typeof vm>[1][]) {
  const template = vmi(withName('web'), withContainerDisk('root', 'registry.example/disk:1'), withMemory('64Mi'))
  return vm(template, withUid('vm-uid'), withRunStrategy('Always'), ...pieces)
}

async function runningWorld(strategy: 'Always' | 'RerunOnFailure' | 'Manual' | 'Once' = 'Always'): Promise<World> {
  const world = createWorld(alwaysVm(withRunStrategy(strategy)))
  if (strategy === 'Manual') await request(world, { action: 'Start' })
  await world.settle()
  await world.kubelet('running')
  await world.settle()
  await world.agent('Running')
  await world.settle()
  return world
}

async function request(world: World, ...requests: object[]): Promise<void> {
  const body = { status: { stateChangeRequests: requests } }
  await world.client.patch(virtualMachines, reference, body, { type: 'merge', subresource: 'status' })
}

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
  await world.settle()
  await world.kubelet('running')
  await world.settle()
  await world.agent('Running')
  await world.settle()
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

test('a VMI that nobody handed over fails with its pod', async () => {
  const world = createWorld(alwaysVm(withRunStrategy('Once')))
  await world.settle()
  await world.kubelet({ exitCode: 2 })
  await world.settle()

  expect(world.vmi()?.status).toMatchObject({ phase: 'Failed', reason: 'LauncherPodFailed' })
  expect(world.events).toContain('VirtualMachineInstance LauncherPodFailed')
  expect(world.vm()?.status?.printableStatus).toBe('CrashLoopBackOff')
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
    expect.objectContaining({ type: 'Synchronized', message: expect.stringContaining('minimumClusterTSCFrequency') }),
  )
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
