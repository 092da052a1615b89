import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import { nodes, virtualMachineInstances } from '@kubevirt-ts/api'
import type { KubeObject } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { apply } from './apply.ts'
import type { Plan, Step } from './seen.ts'

const step = (name: string, action: Step['action']): Step => ({
  namespace: 'shop',
  name,
  action,
  pod: `pod-${name}`,
  reason: 'r',
  message: 'm',
})

const plan = (...virtualMachines: Step[]): Plan => ({
  node: 'n1',
  cordoned: false,
  limits: { perNode: 2, perCluster: 5, underWay: 0 },
  virtualMachines,
  blocked: 0,
  notKnown: [],
})

const vmi = (name: string): KubeObject =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'shop', labels: { 'kubevirt.io/nodeName': 'n1' } },
    status: { phase: 'Running', nodeName: 'n1' },
  }) as KubeObject

const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }
const answer = (status: number, message = '') => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify({ message })),
})

function listening() {
  const told = new PassThrough()
  let text = ''
  told.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { told, lines: () => text.trim().split('\n') }
}

test('the node is cordoned, guests are evicted, and each is followed until it has left', async () => {
  const { told, lines } = listening()
  const client = fakeClient([node, vmi('moves'), vmi('ends')], {
    onRequest: async ({ path }) => {
      if (path.includes('pod-ends')) {
        await client.delete(virtualMachineInstances, { namespace: 'shop', name: 'ends' })
        return answer(201)
      }
      const patch = { metadata: { labels: { 'kubevirt.io/nodeName': 'n2' } }, status: { nodeName: 'n2' } }
      await client.patch(virtualMachineInstances, { namespace: 'shop', name: 'moves' }, patch, { type: 'merge' })
      return answer(429, 'Eviction triggered evacuation of VMI')
    },
  })
  const cluster = { client, namespace: 'default' }

  await apply(plan(step('moves', 'migrate'), step('ends', 'stop')), cluster, {
    timeoutMs: 0,
    told,
    signal: new AbortController().signal,
  })

  expect(client.objects(nodes)[0]?.spec?.unschedulable).toBe(true)
  expect(lines()).toEqual([
    'node/n1 cordoned',
    'shop/moves evicted',
    'shop/ends evicted',
    'shop/moves moved to n2',
    'shop/ends was shut down',
    '2 left node n1',
  ])
})

test('what a disruption budget puts off is told, and Ctrl+C says what goes on', async () => {
  const { told, lines } = listening()
  const client = fakeClient([node, vmi('ends')], { onRequest: () => answer(429, 'the budget allows none') })
  const interrupt = new AbortController()
  interrupt.abort()

  await expect(
    apply(plan(step('ends', 'stop')), { client, namespace: 'x' }, { timeoutMs: 0, told, signal: interrupt.signal }),
  ).rejects.toMatchObject({ exitCode: 130, message: expect.stringMatching(/goes on \(shop\/ends\)/) })
  expect(lines()).toContain('shop/ends is not evicted yet: the budget allows none')
})

test('a blocked guest is left alone', async () => {
  const { told } = listening()
  const client = fakeClient([node, vmi('stays')], { onRequest: () => answer(500) })
  await apply(
    plan(step('stays', 'blocked')),
    { client, namespace: 'x' },
    {
      timeoutMs: 0,
      told,
      signal: new AbortController().signal,
    },
  )
  expect(client.calls.filter(({ verb }) => verb === 'request')).toEqual([])
})
