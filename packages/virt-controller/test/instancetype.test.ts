import { expect, test } from '@jest/globals'
import {
  controllerRevisions,
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstances,
  virtualMachines,
} from '@kubevirt-ts/api'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { vm, vmi, withContainerDisk, withName, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createWorld, createWorldWith } from './world.ts'

const reference = { namespace: 'default', name: 'web' }

const small = {
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachineClusterInstancetype',
  metadata: { name: 'small', uid: 'i', generation: 1 },
  spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } },
}
const linux = {
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachineClusterPreference',
  metadata: { name: 'linux', uid: 'p', generation: 1 },
  spec: { devices: { preferredDiskBus: 'virtio' } },
}

function machine(strategy: 'Always' | 'Halted' = 'Always'): VirtualMachine {
  const template = vmi(withName('web'), withContainerDisk('root', 'registry.example/disk:1'))
  const object = vm(template, withUid('vm-uid'), withRunStrategy(strategy))
  const { memory: _m, resources: _r, cpu: _c, ...domain } = object.spec.template.spec!.domain
  for (const disk of domain.devices.disks ?? []) delete disk.disk?.bus
  object.spec.template.spec!.domain = domain
  object.spec.instancetype = { name: 'small' }
  object.spec.preference = { name: 'linux' }
  return object
}

const failureOf = (object: VirtualMachine | undefined) =>
  object?.status?.conditions?.find(({ type }) => type === 'Failure')

test('a guest gets what its instance type and preference say, and the VM keeps copies of both', async () => {
  const world = createWorld(machine(), small, linux)
  await world.settle()
  expect(world.problems).toEqual([])
  expect(world.vmi()?.spec.domain).toMatchObject({
    cpu: { sockets: 2, cores: 1, threads: 1 },
    memory: { guest: '1Gi' },
    devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
  })
  expect(world.vmi()?.metadata.annotations).toMatchObject({
    'kubevirt.io/cluster-instancetype-name': 'small',
    'kubevirt.io/cluster-preference-name': 'linux',
  })
  expect(world.vm()?.status).toMatchObject({
    instancetypeRef: {
      name: 'small',
      kind: 'VirtualMachineClusterInstancetype',
      controllerRevisionRef: { name: 'web-small-i-1' },
    },
    preferenceRef: { name: 'linux', controllerRevisionRef: { name: 'web-linux-p-1' } },
  })
  expect(world.vm()?.spec.template.spec?.domain.cpu).toBeUndefined()
  expect(failureOf(world.vm())).toBeUndefined()
})

test('a halted VM keeps its copies too, and starts from them when the original has changed or gone', async () => {
  const world = createWorld(machine('Halted'), small, linux)
  await world.settle()
  expect(world.client.objects(controllerRevisions).map(({ metadata }) => metadata.name)).toEqual([
    'web-small-i-1',
    'web-linux-p-1',
  ])
  const larger = { spec: { cpu: { guest: 8 } } }
  await world.client.patch(virtualMachineClusterInstancetypes, { name: 'small' }, larger, { type: 'merge' })
  await world.client.delete(virtualMachineClusterPreferences, { name: 'linux' })
  await world.client.patch(virtualMachines, reference, { spec: { runStrategy: 'Always' } }, { type: 'merge' })
  await world.settle()
  expect(world.vmi()?.spec.domain).toMatchObject({
    cpu: { sockets: 2 },
    devices: { disks: [{ disk: { bus: 'virtio' } }] },
  })
})

test('a missing instance type is named in condition Failure, and the VM starts once it exists', async () => {
  const world = createWorld(machine(), linux)
  await world.settle()
  expect(world.vmi()).toBeUndefined()
  expect(failureOf(world.vm())).toMatchObject({ status: 'True', reason: 'FailedFindInstancetype' })
  expect(failureOf(world.vm())?.message).toContain('VirtualMachineClusterInstancetype "small"')
  expect(world.events.filter((event) => event.includes('FailedFind'))).toHaveLength(1)
  expect(world.problems).toEqual([])
  await world.client.create(virtualMachineClusterInstancetypes, small)
  await world.settle()
  expect(world.vmi()).toBeDefined()
  expect(failureOf(world.vm())).toBeUndefined()
})

test('a template that sets what the instance type sets does not start, and the fields are named', async () => {
  const object = machine()
  object.spec.template.spec!.domain.cpu = { cores: 2 }
  const world = createWorld(object, small, linux)
  await world.settle()
  expect(world.vmi()).toBeUndefined()
  expect(failureOf(world.vm())).toMatchObject({ reason: 'InstancetypeConflict' })
  expect(failureOf(world.vm())?.message).toContain('spec.template.spec.domain.cpu.cores')
})

async function renamed(spec: object, rolloutStrategy?: 'Stage') {
  const large = { ...small, metadata: { name: 'large', uid: 'l', generation: 1 }, spec }
  const configuration = rolloutStrategy === undefined ? {} : { vmRolloutStrategy: rolloutStrategy }
  const world = createWorldWith(configuration, machine(), small, large, linux)
  await world.settle()
  const prepared = { spec: { domain: { cpu: { maxSockets: 8 } } } }
  await world.client.patch(virtualMachineInstances, reference, prepared, { type: 'merge' })
  await world.kubelet('running')
  await world.settle()
  await world.agent('Running')
  await world.settle()
  await world.client.patch(virtualMachines, reference, { spec: { instancetype: { name: 'large' } } }, { type: 'merge' })
  await world.settle()
  expect(world.problems).toEqual([])
  return world
}

const restart = expect.objectContaining({ type: 'RestartRequired', status: 'True' })

test('a running guest whose VM names an instance type with more processors gets them', async () => {
  const world = await renamed({ cpu: { guest: 4 }, memory: { guest: '1Gi' } })
  expect(world.vmi()?.spec.domain.cpu).toMatchObject({ sockets: 4 })
  expect(world.vmi()?.metadata.annotations).toMatchObject({ 'kubevirt.io/cluster-instancetype-name': 'large' })
  expect(world.vm()?.status?.conditions).not.toContainEqual(restart)
  expect(world.vm()?.status?.instancetypeRef).toMatchObject({ name: 'large' })
})

test.each([
  ['fewer processors', { cpu: { guest: 1 }, memory: { guest: '1Gi' } }, undefined],
  ['pinned processors', { cpu: { guest: 2, dedicatedCPUPlacement: true }, memory: { guest: '1Gi' } }, undefined],
  ['more processors, while changes wait for a restart', { cpu: { guest: 4 }, memory: { guest: '1Gi' } }, 'Stage'],
] as const)('one with %s needs a restart', async (_what, spec, rolloutStrategy) => {
  const world = await renamed(spec, rolloutStrategy)
  expect(world.vmi()?.spec.domain.cpu).toMatchObject({ sockets: 2 })
  expect(world.vm()?.status?.conditions).toContainEqual(restart)
  expect(world.vm()?.status?.instancetypeRef).toMatchObject({ name: 'large' })
})

test.each([
  ['expand', undefined, undefined],
  ['expand', 'pinned', 'small'],
  ['expandAll', 'web-small-i-1', undefined],
] as const)(
  'under policy %s a VM that pins revision %s names %s afterwards',
  async (referencePolicy, revisionName, name) => {
    const object = machine('Halted')
    if (revisionName !== undefined) object.spec.instancetype = { name: 'small', revisionName }
    const copy = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'web-small-i-1', namespace: 'default' },
      data: { spec: small.spec },
      revision: 0,
    }
    const world = createWorldWith({ instancetype: { referencePolicy } }, object, small, linux, copy)
    await world.settle()
    expect(world.vm()?.spec.instancetype?.name).toBe(name)
    expect(world.vm()?.spec.template.spec?.domain.cpu?.sockets).toBe(name === undefined ? 2 : undefined)
  },
)
