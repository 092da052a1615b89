import { expect, test } from '@jest/globals'
import {
  persistentVolumeClaims,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  type VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { homeOf, machine, node, pod, startScheduler, until } from './in-memory/cluster.ts'

const storageClass = (name: string, provisioner: string): KubeObject =>
  ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  }) as KubeObject
const classes = [storageClass('local', 'kubernetes.io/no-provisioner'), storageClass('made', 'example.com/local')]

/** A disk of one node. */
const volume = (name: string, of: string, more: object = { status: { phase: 'Available' } }): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [of] }] }],
        },
      },
    },
    ...more,
  }) as KubeObject

const claim = (name: string, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: 'a',
      uid: name,
      annotations: 'volumeName' in spec ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {},
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'local',
      ...spec,
    },
    status: { phase: 'volumeName' in spec ? 'Bound' : 'Pending' },
  }) as KubeObject

/** A VM of whose claims the pod mounts some; the others are plugged in later. */
function machineWith(mounted: string[], later: string[], annotations: Record<string, string> = {}): KubeObject[] {
  const [vm, instance, launcher] = machine('vm', annotations) as [KubeObject, VirtualMachineInstance, Pod]
  const source = (claimName: string, hotpluggable: boolean) => ({
    name: claimName,
    persistentVolumeClaim: { claimName, hotpluggable },
  })
  const volumes = [...mounted.map((name) => source(name, false)), ...later.map((name) => source(name, true))]
  return [
    vm,
    { ...instance, spec: { ...instance.spec, volumes } } as VirtualMachineInstance,
    { ...launcher, spec: { ...launcher.spec, volumes: mounted.map((name) => source(name, false)) } } as Pod,
  ]
}

const crowd = Array.from({ length: 3 }, (_, index) => pod(`x${index}`, { nodeName: 'n1' }))

test('a first start goes where the disks are that are plugged in later, however full that node is', async () => {
  const objects = [node('n1'), node('n2'), ...crowd, ...classes, volume('v', 'n1'), claim('c', { volumeName: 'v' })]
  await using scheduler = await startScheduler([...objects, ...machineWith([], ['c'])])

  await until(() => homeOf(scheduler.client, 'vm') === 'n1')
})

test('a first start looks for a node that has room for all claims at once, also those that wait for it', async () => {
  // One disk on n2, two on n1: each claim alone could go to the emptier n2.
  const disks = [volume('v1', 'n1'), volume('v2', 'n1'), volume('v3', 'n2')]
  const objects = [node('n1'), node('n2'), ...crowd, ...classes, ...disks, claim('c1'), claim('c2')]
  await using scheduler = await startScheduler([...objects, ...machineWith([], ['c1', 'c2'])])

  await until(() => homeOf(scheduler.client, 'vm') === 'n1')
})

test('claims that cannot be had on one node together are told', async () => {
  const disks = [volume('v1', 'n1'), volume('v2', 'n2')]
  const claims = [claim('c1', { volumeName: 'v1' }), claim('c2', { volumeName: 'v2' })]
  await using scheduler = await startScheduler([
    node('n1'),
    node('n2'),
    ...classes,
    ...disks,
    ...claims,
    ...machineWith([], ['c1', 'c2']),
  ])
  await until(() => scheduler.told.length > 0)

  expect(scheduler.told[0]!.message).toContain("2 node(s) didn't match PersistentVolume's node affinity")
})

test('a claim that is not there yet keeps nobody from starting', async () => {
  await using scheduler = await startScheduler([node('n1'), ...classes, ...machineWith([], ['comes late'])])

  await until(() => homeOf(scheduler.client, 'vm') === 'n1')
})

test('a claim that a VM gets later is made at its home, however empty other nodes are', async () => {
  const annotations = { 'home.kubevirt-ts.io/node': 'n1' }
  const later = claim('later', { storageClassName: 'made' })
  await using scheduler = await startScheduler([
    node('n1'),
    node('n2'),
    ...crowd,
    ...classes,
    later,
    ...machineWith(['later'], [], annotations),
  ])
  const selected = () =>
    scheduler.client.objects<PersistentVolumeClaim>(persistentVolumeClaims)[0]!.metadata.annotations?.[
      'volume.kubernetes.io/selected-node'
    ]
  await until(() => selected() !== undefined)

  expect(selected()).toBe('n1')
  const made = { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } }
  const reference = { name: 'later', namespace: 'a' }
  await scheduler.client.patch(
    persistentVolumeClaims,
    reference,
    { ...made, spec: { volumeName: 'x' } },
    { type: 'merge' },
  )
  const bound = { status: { phase: 'Bound' } }
  await scheduler.client.patch(persistentVolumeClaims, reference, bound, { type: 'merge', subresource: 'status' })
  await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n1')
})
