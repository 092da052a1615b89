import { expect, test } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import {
  nodeVolumeLimits,
  volumeBinding,
  volumeRestrictions,
  volumeZone,
  type SchedulingVolumeObject,
} from '../index.ts'
import { ask, node, nowhere, pod } from '../testing/ask.ts'

const nodes = [
  node('n1', { labels: { 'topology.kubernetes.io/zone': 'a' } }),
  node('n2', { labels: { 'topology.kubernetes.io/zone': 'b' } }),
]
const claiming = (name = 'data', spec: Partial<Pod['spec']> = {}) =>
  pod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }], ...spec })
const claim = (spec: object, more: object = {}, name = 'data') => ({
  metadata: { name, namespace: 'a', ...more },
  spec: { resources: { requests: { storage: '1Gi' } }, ...spec },
})
const boundTo = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }
const volume = (name: string, spec: object = {}, labels: Record<string, string> = {}): SchedulingVolumeObject => ({
  metadata: { name, labels },
  spec: { capacity: { storage: '2Gi' }, ...spec },
  status: { phase: 'Available' },
})
const onNode = (name: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [name] }] },
      ],
    },
  },
})
const waiting = {
  metadata: { name: 'local' },
  provisioner: 'kubernetes.io/no-provisioner',
  volumeBindingMode: 'WaitForFirstConsumer',
}

test('a bound local volume ties its pod to its node', () => {
  const claims = [claim({ volumeName: 'v1' }, boundTo)]
  expect(ask(volumeBinding, claiming(), { nodes, claims, volumes: [volume('v1', onNode('n2'))] })).toEqual({
    n1: `${nowhere}: node(s) didn't match PersistentVolume's node affinity`,
    n2: 'ok',
  })
  expect(ask(volumeBinding, claiming(), { nodes, claims })).toMatchObject({
    n1: `${nowhere}: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)`,
  })
})

test('claims that wait for their pod are matched together, each volume once', () => {
  const claims = [claim({ storageClassName: 'local' }), claim({ storageClassName: 'local' }, {}, 'more')]
  const two = pod('p', {
    volumes: ['data', 'more'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  })
  const local = (name: string, on: string) => volume(name, { storageClassName: 'local', ...onNode(on) })
  const volumes = [local('v1', 'n1'), local('v2', 'n2'), local('v3', 'n2')]
  expect(ask(volumeBinding, two, { nodes, claims, volumes, storageClasses: [waiting] })).toEqual({
    n1: `${nowhere}: node(s) didn't find available persistent volumes to bind`,
    n2: 'ok',
  })
})

test('a provisioner makes what is missing, within its topologies', () => {
  const storageClass = {
    ...waiting,
    provisioner: 'csi.example.com',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['b'] }] }],
  }
  const objects = { nodes, claims: [claim({ storageClassName: 'local' })], storageClasses: [storageClass] }
  expect(ask(volumeBinding, claiming(), objects)).toMatchObject({ n1: expect.stringContaining(nowhere), n2: 'ok' })
})

test.each([
  ['persistentvolumeclaim "data" not found', []],
  ['pod has unbound immediate PersistentVolumeClaims', [claim({})]],
  ['persistentvolumeclaim "data" is being deleted', [claim({}, { deletionTimestamp: 'now' })]],
])('%s', (message, claims) => {
  expect(ask(volumeBinding, claiming(), { nodes, claims })).toBe(`${nowhere}: ${message}`)
})

test('the zone in a volume’s labels binds', () => {
  const zones = { 'topology.kubernetes.io/zone': 'b__c' }
  const objects = { nodes, claims: [claim({ volumeName: 'v1' }, boundTo)], volumes: [volume('v1', {}, zones)] }
  expect(ask(volumeZone, claiming(), objects)).toEqual({
    n1: `${nowhere}: node(s) had no available volume zone`,
    n2: 'ok',
  })
})

test('a driver attaches so many volumes; a shared one counts once', () => {
  const csi = (name: string) => volume(name, { csi: { driver: 'd', volumeHandle: name } })
  const csiNodes = nodes.map(({ metadata: { name } }) => ({
    metadata: { name },
    spec: { drivers: [{ name: 'd', allocatable: { count: 1 } }] },
  }))
  const objects = {
    nodes,
    csiNodes,
    claims: [claim({ volumeName: 'v1' }, boundTo), claim({ volumeName: 'v2' }, boundTo, 'other')],
    volumes: [csi('v1'), csi('v2')],
    pods: [{ ...claiming('other', { nodeName: 'n1' }), metadata: { name: 'x', namespace: 'a', uid: 'x' } }],
  }
  expect(ask(nodeVolumeLimits, claiming('data'), objects)).toEqual({
    n1: 'Unschedulable: node(s) exceed max volume count',
    n2: 'ok',
  })
  expect(ask(nodeVolumeLimits, claiming('other'), objects)).toEqual({ n1: 'ok', n2: 'ok' })
})

test('a claim for one pod at a time is refused to a second, on every node', () => {
  const claims = [claim({ accessModes: ['ReadWriteOncePod'] })]
  const pods = [{ ...claiming('data', { nodeName: 'n1' }), metadata: { name: 'x', namespace: 'a', uid: 'x' } }]
  const message =
    'Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'
  expect(ask(volumeRestrictions, claiming(), { nodes, claims, pods })).toEqual({ n1: message, n2: message })
  expect(ask(volumeRestrictions, claiming(), { nodes, claims })).toBe('skip')
})

test('a disk that is mounted to be written is refused to others', () => {
  const disk = (readOnly: boolean, spec: object = {}) =>
    pod(`r${readOnly}`, { volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd', readOnly } }], ...spec } as object)
  expect(ask(volumeRestrictions, disk(true), { nodes, pods: [disk(false, { nodeName: 'n1' })] })).toEqual({
    n1: 'Unschedulable: node(s) had no available disk',
    n2: 'ok',
  })
  expect(ask(volumeRestrictions, disk(true), { nodes, pods: [disk(true, { nodeName: 'n1' })] })).toMatchObject({
    n1: 'ok',
  })
})
