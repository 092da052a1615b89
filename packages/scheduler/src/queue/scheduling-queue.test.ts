import { expect, test } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import { prioritySort } from '../plugins/priority-sort/priority-sort.ts'
import { schedulingGates } from '../plugins/scheduling-gates/scheduling-gates.ts'
import type { ClusterEvent } from '../framework/cluster-event.ts'
import { SchedulingQueue } from './scheduling-queue.ts'

function pod(name: string, spec: Partial<Pod['spec']> = {}): Pod {
  return { metadata: { name, namespace: 'a', uid: name }, spec: { containers: [], ...spec } }
}

const nodeAdded: ClusterEvent = { resource: 'Node', action: 'Add' }
const podLeft: ClusterEvent = { resource: 'AssignedPod', action: 'Delete' }

function newQueue() {
  const clock = { now: 1_000 }
  const gates = schedulingGates.create(undefined, undefined as never)
  const sorter = prioritySort.create(undefined, undefined as never)
  const queue = new SchedulingQueue({
    less: (a, b) => sorter.less!(a, b),
    preEnqueue: (each) => gates.preEnqueue!(each),
    isHelpful: (plugin, event) => plugin === event.resource,
    initialBackoffMs: 1_000,
    maxBackoffMs: 10_000,
    now: () => clock.now,
  })
  return { queue, clock }
}

test('higher priority comes first, then who waits longer', async () => {
  const { queue, clock } = newQueue()
  for (const each of [pod('a'), pod('b'), pod('c', { priority: 5 })]) {
    queue.add(each)
    clock.now += 1
  }

  const order = [await queue.pop(), await queue.pop(), await queue.pop()]

  expect(order.map((entry) => entry!.pod.metadata.name)).toEqual(['c', 'a', 'b'])
})

test('a refused pod sleeps until an event helps one of the plugins that refused it', async () => {
  const { queue, clock } = newQueue()
  queue.add(pod('a'))
  queue.failed((await queue.pop())!, new Set(['Node']))
  clock.now += 60_000

  queue.moveFor(podLeft)
  expect(queue.sizes).toMatchObject({ active: 0, unschedulable: 1 })
  queue.moveFor(nodeAdded)
  expect(queue.sizes).toMatchObject({ active: 1, unschedulable: 0 })
})

test('an event while the pod is being tried is not lost', async () => {
  const { queue } = newQueue()
  queue.add(pod('a'))
  const entry = (await queue.pop())!
  queue.moveFor(nodeAdded)

  queue.failed(entry, new Set(['Node']))

  expect(queue.sizes).toMatchObject({ backoff: 1, unschedulable: 0 })
})

test('a woken pod waits for its back-off, which doubles up to its limit', async () => {
  const { queue, clock } = newQueue()
  queue.add(pod('a'))
  for (const milliseconds of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    queue.failed((await queue.pop())!, new Set())
    clock.now += milliseconds - 1
    queue.tick()
    expect(queue.sizes).toMatchObject({ active: 0, backoff: 1 })
    clock.now += 1
    queue.tick()
    expect(queue.sizes).toMatchObject({ active: 1, backoff: 0 })
  }
})

test('a pod with a gate enters when the gate is taken away', () => {
  const { queue } = newQueue()
  queue.add(pod('a', { schedulingGates: [{ name: 'wait' }] }))
  queue.moveFor(nodeAdded)
  expect(queue.sizes).toMatchObject({ active: 0, unschedulable: 1 })

  queue.update(pod('a'))

  expect(queue.sizes).toMatchObject({ active: 1, unschedulable: 0 })
})

test('a change of its status alone does not wake a pod, a change of its labels does', async () => {
  const { queue, clock } = newQueue()
  queue.add(pod('a'))
  queue.failed((await queue.pop())!, new Set(['Node']))
  clock.now += 60_000

  queue.update({ ...pod('a'), status: { phase: 'Pending' } })
  expect(queue.sizes).toMatchObject({ active: 0, unschedulable: 1 })
  const labelled = pod('a')
  labelled.metadata.labels = { new: 'label' }
  queue.update(labelled)
  expect(queue.sizes).toMatchObject({ active: 1, unschedulable: 0 })
})

test('what nothing woke for five minutes is tried again', async () => {
  const { queue, clock } = newQueue()
  queue.add(pod('a'))
  queue.failed((await queue.pop())!, new Set(['Node']))
  clock.now += 5 * 60_000

  queue.tick()

  expect(queue.sizes).toMatchObject({ active: 1 })
})

test('a deleted pod is not tried', async () => {
  const { queue } = newQueue()
  queue.add(pod('a'))
  queue.add(pod('b'))
  queue.delete(pod('a'))

  expect((await queue.pop())!.pod.metadata.name).toBe('b')
})

test('closing ends who waits', async () => {
  const { queue } = newQueue()
  const popped = queue.pop()
  queue.close()

  expect(await popped).toBeUndefined()
})
