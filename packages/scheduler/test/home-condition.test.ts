import { expect, test } from '@jest/globals'
import { nodes, virtualMachineInstances, virtualMachines, type Node } from '@kubevirt-ts/api'
import { machine, node, startScheduler, until } from './in-memory/cluster.ts'

const home = { 'home.kubevirt-ts.io/node': 'n1' }
const preferred = { ...home, 'home.kubevirt-ts.io/policy': 'preferred' }

type Scheduler = Awaited<ReturnType<typeof startScheduler>>

/** The reason of HomeAvailable=False on the only instance. */
function told({ client }: Scheduler): string | undefined {
  const conditions = client.objects(virtualMachineInstances)[0]!.status?.conditions ?? []
  return conditions.find(({ type }) => type === 'HomeAvailable')?.reason
}

/** A VM whose home is cordoned, and that was told so. */
async function startWithCordonedHome(annotations: Record<string, string>): Promise<Scheduler> {
  const others = [node('n1', { unschedulable: true }), node('n2')]
  const scheduler = await startScheduler([...others, ...machine('vm', annotations)])
  await until(() => told(scheduler) === 'HomeNodeCordoned')
  return scheduler
}

const change = (scheduler: Scheduler, body: Partial<Node>) =>
  scheduler.client.patch(nodes, { name: 'n1' }, body, { type: 'merge' })

test('a VM that lives elsewhere for the time being is told when its home is there again', async () => {
  await using scheduler = await startWithCordonedHome(preferred)
  await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n2')

  await change(scheduler, { spec: { unschedulable: false } })

  await until(() => told(scheduler) === undefined)
})

test('what is told follows the node: cordoned, then gone', async () => {
  await using scheduler = await startWithCordonedHome(home)

  await scheduler.client.delete(nodes, { name: 'n1' })

  await until(() => told(scheduler) === 'HomeNodeMissing')
  expect(scheduler.told).toContainEqual({
    name: 'vm',
    reason: 'HomeNodeMissing',
    message: expect.stringContaining('home node n1 does not exist, the VM waits') as unknown as string,
  })
})

test('a home that is not ready is told', async () => {
  await using scheduler = await startWithCordonedHome(home)

  const status = { conditions: [{ type: 'Ready', status: 'Unknown' }] }
  await scheduler.client.patch(nodes, { name: 'n1' }, { status }, { type: 'merge', subresource: 'status' })
  await change(scheduler, { spec: { unschedulable: false, taints: [notReady] } })

  await until(() => told(scheduler) === 'HomeNodeNotReady')
})

test.each([
  ['forgotten', { 'home.kubevirt-ts.io/node': null }],
  ['moved', { 'home.kubevirt-ts.io/node': 'n2' }],
  ['switched off', { 'home.kubevirt-ts.io/policy': 'off' }],
])('a home that is %s is not told of any more', async (_how, annotations) => {
  await using scheduler = await startWithCordonedHome(home)

  const vm = { name: 'vm', namespace: 'a' }
  await scheduler.client.patch(virtualMachines, vm, { metadata: { annotations } }, { type: 'merge' })

  await until(() => told(scheduler) === undefined)
  await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n2')
})

test('the condition goes when the VM is home', async () => {
  await using scheduler = await startWithCordonedHome(home)

  await change(scheduler, { spec: { unschedulable: false } })

  await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n1')
  await until(() => told(scheduler) === undefined)
})

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const }
