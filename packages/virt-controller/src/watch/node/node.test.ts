import { expect, test } from '@jest/globals'
import { nodes, pods, virtualMachineInstances } from '@kubevirt-ts/api'
import type { KubeObject, Node, Pod } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vmi, withPhase, withStatus, withUid } from '@kubevirt-ts/libvmi'
import { vmiUidOf } from '../vmi/controller.ts'
import { nodeOf } from './controller.ts'
import { reconcile } from './reconcile.ts'

const now = new Date('2026-01-01T00:10:00Z')

const node = (heartbeat: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n1',
    labels: { 'kubevirt.io/schedulable': 'true' },
    annotations: { 'kubevirt.io/heartbeat': heartbeat },
  },
})

const guest = () => vmi(withUid('guest'), withPhase('Running'), withStatus({ nodeName: 'n1' }))

const pod = (phase: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'default',
    ownerReferences: [
      { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'testvmi', uid: 'guest', controller: true },
    ],
  },
  spec: { containers: [] },
  status: { phase },
})

async function after(...objects: KubeObject[]) {
  const client = fakeClient(objects)
  const events: string[] = []
  const find = <T>(list: T[], of: (object: T) => readonly string[], value: string): T[] =>
    list.filter((each) => of(each).includes(value))
  const result = await reconcile('n1', {
    client,
    nodes: { get: () => client.objects(nodes)[0], list: () => [], byIndex: () => [] },
    vmis: {
      get: () => undefined,
      list: () => [],
      byIndex: (_, value) => find(client.objects(virtualMachineInstances), nodeOf, value),
    },
    pods: { get: () => undefined, list: () => [], byIndex: (_, value) => find(client.objects(pods), vmiUidOf, value) },
    events: { event: (object, _type, reason) => void events.push(`${object.kind} ${reason}`) },
    now: () => now,
  })
  return { client, events, result, guest: client.objects(virtualMachineInstances)[0], node: client.objects(nodes)[0] }
}

test('a node with a fresh heartbeat is left alone and looked at again in a minute', async () => {
  const { client, result } = await after(node('2026-01-01T00:06:00Z'), guest())
  expect(client.writes()).toEqual([])
  expect(result).toEqual({ requeueAfter: 60_000 })
})

test('a silent node is taken out of scheduling, and guests without a live pod fail with the reason', async () => {
  const { events, guest: lost, node: silent } = await after(node('2026-01-01T00:04:59Z'), guest(), pod('Failed'))
  expect(silent?.metadata.labels).toEqual({ 'kubevirt.io/schedulable': 'false' })
  expect(lost?.status).toMatchObject({ phase: 'Failed', reason: 'NodeUnresponsive' })
  expect(events).toEqual(['Node NodeUnresponsive', 'VirtualMachineInstance NodeUnresponsive'])
})

test('a guest whose pod lives is never given up', async () => {
  const { guest: kept } = await after(node('2026-01-01T00:00:00Z'), guest(), pod('Running'))
  expect(kept?.status?.phase).toBe('Running')
})

test('guests of a node that is gone fail too', async () => {
  const { guest: lost } = await after(guest())
  expect(lost?.status?.phase).toBe('Failed')
})
