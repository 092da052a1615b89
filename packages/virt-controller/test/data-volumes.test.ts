import { expect, test } from '@jest/globals'
import { dataVolumes, persistentVolumeClaims, pods, subjectAccessReviews, virtualMachines } from '@kubevirt-ts/api'
import type { KubeObject, VirtualMachine } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { vm, vmi, withMemory, withName, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const namespace = 'default'
const disk = { namespace, name: 'disk' }

function machine(
  strategy: 'Always' | 'Halted',
  change: (vm: VirtualMachine) => void = () => undefined,
): VirtualMachine {
  const template = vmi(withName('web'), withMemory('64Mi'), (object) => {
    object.spec.volumes = [{ name: 'root', dataVolume: { name: 'disk' } }]
  })
  return vm(template, withUid('vm-uid'), withRunStrategy(strategy), (object) => {
    object.spec.dataVolumeTemplates = [
      { metadata: { name: 'disk' }, spec: { source: { http: { url: 'http://example.com/disk' } } } },
    ]
    change(object)
  })
}

/** Plays the importer: it makes the claim, and tells how far it is. */
async function importer(world: World, phase: string, bound = true): Promise<void> {
  const [volume] = world.client.objects(dataVolumes)
  if (world.client.objects(persistentVolumeClaims).length === 0) {
    const owner = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', controller: true }
    await world.client.create(persistentVolumeClaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...disk, ownerReferences: [{ ...owner, name: 'disk', uid: volume?.metadata.uid ?? '' }] },
      spec: {},
    })
  }
  const status = { status: { phase: bound ? 'Bound' : 'Pending' } }
  await world.client.patch(persistentVolumeClaims, disk, status, { type: 'merge', subresource: 'status' })
  await world.client.patch(dataVolumes, disk, { status: { phase } }, { type: 'merge', subresource: 'status' })
  await world.settle()
}

const shown = (world: World): string | undefined => world.vm()?.status?.printableStatus

test('a VM makes the DataVolumes of its templates, and starts when they are filled', async () => {
  const world = createWorld(machine('Always'))
  await world.settle()
  expect(world.client.objects(dataVolumes)).toMatchObject([
    {
      metadata: {
        name: 'disk',
        labels: { 'kubevirt.io/created-by': 'vm-uid' },
        ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: 'vm-uid', controller: true }],
      },
      spec: { source: { http: { url: 'http://example.com/disk' } } },
    },
  ])
  expect(world.vmi()).toBeUndefined()
  expect(shown(world)).toBe('Provisioning')

  await importer(world, 'ImportInProgress')
  expect(world.vmi()).toBeUndefined()
  expect(shown(world)).toBe('Provisioning')

  await importer(world, 'Succeeded')
  expect(world.pod()?.spec.volumes).toContainEqual({ name: 'root', persistentVolumeClaim: { claimName: 'disk' } })
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DataVolumesReady', status: 'True', reason: 'AllDVsReady' }),
  )
})

test('a DataVolume that waits for its first consumer gets a pod that stands in for the launcher', async () => {
  const world = createWorld(machine('Always'))
  await world.settle()
  await importer(world, 'WaitForFirstConsumer', false)

  const standIn = world.pod()
  expect(standIn?.metadata.annotations).toMatchObject({ 'kubevirt.io/ephemeral-provisioning': 'true' })
  expect(standIn?.spec.containers[0]).toMatchObject({ command: ['/bin/bash'], args: ['-c', 'echo', 'bound PVCs'] })
  expect(world.vmi()?.status?.phase).toBe('Pending')
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Provisioning', status: 'True' }),
  )

  const reference = { namespace, name: standIn?.metadata.name ?? '' }
  await world.client.patch(
    pods,
    reference,
    { status: { phase: 'Succeeded' } },
    { type: 'merge', subresource: 'status' },
  )
  await importer(world, 'ImportInProgress')
  expect(world.vmi()?.status?.phase).toBe('Pending')

  await importer(world, 'Succeeded')
  expect(world.pod()?.metadata.annotations?.['kubevirt.io/ephemeral-provisioning']).toBeUndefined()
  expect(world.pod()?.metadata.uid).not.toBe(standIn?.metadata.uid)
  expect(world.vmi()?.status?.phase).toBe('Scheduling')
  expect(world.vmi()?.status?.conditions?.some(({ type }) => type === 'Provisioning')).toBe(false)
})

test('a DataVolume that could not be filled is told on the VM', async () => {
  const world = createWorld(machine('Halted'))
  await world.settle()
  await importer(world, 'Failed')
  expect(shown(world)).toBe('DataVolumeError')
})

test.each([
  ['Failed', 'Running', 'Error', 'Unable to connect to http data source: 404'],
  ['Pending', 'Bound', 'ErrExceededQuota', 'persistentvolumeclaims is forbidden: exceeded quota: small'],
])(
  'a VM that is to run names the DataVolume that is %s and repeats what its importer says',
  async (phase, type, reason, message) => {
    const world = createWorld(machine('Always'))
    await world.settle()
    await importer(world, phase, false)
    const reference = { namespace, name: 'disk' }
    const body = { status: { conditions: [{ type, status: 'False', reason, message }] } }
    await world.client.patch(dataVolumes, reference, body, { type: 'merge', subresource: 'status' })
    await world.settle()
    expect(shown(world)).toBe('DataVolumeError')
    expect(world.vm()?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Failure',
        reason: 'FailedDataVolumeImport',
        message: `DataVolume default/disk cannot be filled: ${message}`,
      }),
    )
    expect(world.client.objects(dataVolumes)).toHaveLength(1)
  },
)

test('why nobody can start the pod that stands in for the launcher is told', async () => {
  const world = createWorld(machine('Always'))
  await world.settle()
  await importer(world, 'WaitForFirstConsumer', false)
  const reference = { namespace, name: world.pod()?.metadata.name ?? '' }
  const tell = async (status: object): Promise<void> => {
    await world.client.patch(pods, reference, { status }, { type: 'merge', subresource: 'status' })
    await world.settle()
  }
  const refusal = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' }
  await tell({ phase: 'Pending', conditions: [refusal] })
  expect(world.vmi()?.status?.conditions).toContainEqual(expect.objectContaining(refusal))
  expect(shown(world)).toBe('ErrorUnschedulable')

  const waiting = { reason: 'ImagePullBackOff', message: 'not found' }
  await tell({ conditions: [], containerStatuses: [{ name: 'compute', image: '', state: { waiting } }] })
  expect(world.vmi()?.status?.conditions?.some(({ type }) => type === 'PodScheduled')).toBe(false)
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Synchronized', reason: 'ImagePullBackOff' }),
  )
})

test('DataVolumes wait for the start where the user says so', async () => {
  const world = createWorld(
    machine('Halted', ({ metadata }) => {
      metadata.annotations = { 'kubevirt.io/immediate-data-volume-creation': 'false' }
    }),
  )
  await world.settle()
  expect(world.client.objects(dataVolumes)).toEqual([])

  const reference = { namespace, name: 'web' }
  await world.client.patch(virtualMachines, reference, { spec: { runStrategy: 'Always' } }, { type: 'merge' })
  await world.settle()
  expect(world.client.objects(dataVolumes)).toHaveLength(1)
})

test('an orphaned DataVolume of the name is taken in, one that another owns is left alone', async () => {
  const orphan = (owner?: object): KubeObject =>
    ({
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: { ...disk, ...(owner === undefined ? {} : { ownerReferences: [owner as never] }) },
      spec: {},
    }) as KubeObject
  const adopting = createWorld(machine('Halted'), orphan())
  await adopting.settle()
  expect(adopting.client.objects(dataVolumes)[0]?.metadata.ownerReferences).toMatchObject([{ uid: 'vm-uid' }])

  const foreign = { apiVersion: 'v1', kind: 'Other', name: 'x', uid: 'other-uid', controller: true }
  const leaving = createWorld(machine('Halted'), orphan(foreign))
  await leaving.settle()
  expect(leaving.client.objects(dataVolumes)[0]?.metadata.ownerReferences).toMatchObject([{ uid: 'other-uid' }])
})

test('a cluster without DataVolumes says what is missing', async () => {
  const world = createWorld(machine('Always'))
  world.client.intercept(({ resource, verb }) => {
    if (resource === 'datavolumes' && verb === 'create') throw new ApiError({ code: 404 }, { request: 'POST' })
  })
  await world.settle()
  expect(world.vmi()).toBeUndefined()
  expect(world.vm()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Failure',
      reason: 'FailedDataVolumeCreate',
      message: expect.stringContaining('install the Containerized Data Importer'),
    }),
  )
  expect(world.problems).toEqual([])
})

const copying = (change: (vm: VirtualMachine) => void = () => undefined): VirtualMachine =>
  machine('Always', (object) => {
    const source = { pvc: { namespace: 'golden', name: 'os' } }
    object.spec.dataVolumeTemplates = [{ metadata: { name: 'disk' }, spec: { source } }]
    change(object)
  })

test('a source that does not exist is named', async () => {
  const world = createWorld(copying())
  await world.settle()
  expect(world.vm()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      reason: 'SourcePVCNotAvailabe',
      message: 'Source PVC golden/os of DataVolume disk does not exist',
    }),
  )
})

test('a claim of another namespace is only copied by an account that may', async () => {
  const source = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'golden', name: 'os' },
    spec: {},
  }
  const world = createWorld(copying(), source as KubeObject)
  // A review is answered and not kept.
  world.client.intercept(async ({ resource, verb }) => {
    if (resource !== 'subjectaccessreviews' || verb !== 'create') return
    await world.client.delete(subjectAccessReviews, { name: '' }).catch(() => undefined)
  })
  await world.settle()
  expect(world.client.objects(dataVolumes)).toEqual([])
  expect(world.vm()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      reason: 'UnauthorizedDataVolumeCreate',
      message: expect.stringContaining('system:serviceaccount:default:default may not copy PVC golden/os'),
    }),
  )
})

function remembering(): VirtualMachine {
  const template = vmi(withName('web'), withMemory('64Mi'), (object) => {
    object.spec.domain.devices.tpm = { persistent: true }
  })
  return vm(template, withUid('vm-uid'), withRunStrategy('Always'))
}

const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'example.com/disk',
  volumeBindingMode: 'Immediate',
} as KubeObject

test('a guest whose TPM remembers gets a claim of its VM for that, and waits until it is bound', async () => {
  const world = createWorld(remembering(), storageClass)
  await world.settle()
  const [claim] = world.client.objects(persistentVolumeClaims)
  expect(claim).toMatchObject({
    metadata: {
      labels: { 'persistent-state-for': 'web' },
      ownerReferences: [{ kind: 'VirtualMachine', uid: 'vm-uid' }],
    },
    spec: { storageClassName: 'fast', resources: { requests: { storage: '10Mi' } } },
  })
  expect(world.pod()).toBeUndefined()
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Synchronized', status: 'False', reason: 'BackendStorageNotReady' }),
  )

  const reference = { namespace, name: claim?.metadata.name ?? '' }
  const bound = { status: { phase: 'Bound' } }
  await world.client.patch(persistentVolumeClaims, reference, bound, { type: 'merge', subresource: 'status' })
  await world.settle()
  expect(world.pod()?.spec.volumes).toContainEqual({
    name: 'vm-state',
    persistentVolumeClaim: { claimName: claim?.metadata.name },
  })
})

test('a claim for the state that is refused is told with the reason', async () => {
  const world = createWorld(remembering(), storageClass)
  world.client.intercept(({ resource, verb }) => {
    if (resource !== 'persistentvolumeclaims' || verb !== 'create') return
    throw new ApiError({ code: 403, message: 'exceeded quota: small' }, { request: 'POST' })
  })
  await world.settle()
  expect(world.vmi()?.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Synchronized',
      reason: 'FailedBackendStorageCreate',
      message: expect.stringContaining('exceeded quota: small'),
    }),
  )
})
