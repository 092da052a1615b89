import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createRegistry } from '@kubevirt-ts/service'
import { silentLog } from '../testing/silent-log.ts'
import { priority } from './priority.ts'
import { runWorkers } from './workers.ts'
import { WorkQueue } from './work-queue.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const queueOf = (...keys: string[]) => {
  const queue = new WorkQueue({ name: 'test' })
  for (const key of keys) queue.add(key)
  return queue
}

test('a key that waits is not taken in twice', async () => {
  const queue = queueOf('a', 'b', 'a')
  expect([await queue.next(), await queue.next(), queue.length]).toEqual(['a', 'b', 0])
})

test('a key that is added while it is worked on comes again, once, when it is done', async () => {
  const queue = queueOf('a')
  await queue.next()
  queue.add('a')
  queue.add('a')
  expect(queue.length).toBe(0)

  queue.done('a')

  expect(queue.length).toBe(1)
})

test('the higher priority goes first, and a waiting key can rise', async () => {
  const queue = new WorkQueue({ name: 'test' })
  queue.add('resync', { priority: priority.resync })
  queue.add('first')
  queue.add('second')
  queue.add('risen', { priority: priority.resync })
  queue.add('user', { priority: priority.user })
  queue.add('risen', { priority: priority.user })

  const order = [await queue.next(), await queue.next(), await queue.next(), await queue.next(), await queue.next()]

  expect(order).toEqual(['user', 'risen', 'first', 'second', 'resync'])
})

test('of several waits for a key the earliest counts', async () => {
  const queue = new WorkQueue({ name: 'test' })
  queue.addAfter('a', 100)
  queue.addAfter('a', 10)
  queue.addAfter('a', 500)

  await jest.advanceTimersByTimeAsync(10)
  expect(queue.length).toBe(1)
  await queue.next()
  queue.done('a')
  await jest.advanceTimersByTimeAsync(1000)
  expect(queue.length).toBe(0)
})

test('failures wait 5 ms, doubled up to 1000 s, until the key is forgotten', async () => {
  const queue = new WorkQueue({ name: 'test' })
  const waits: number[] = []
  for (let failure = 0; failure < 20; failure++) {
    const since = performance.now()
    queue.addRateLimited('a')
    const next = queue.next()
    await jest.runOnlyPendingTimersAsync()
    await next
    waits.push(Math.round(performance.now() - since))
    queue.done('a')
  }

  expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40])
  expect(waits.at(-1)).toBe(1_000_000)
  queue.forget('a')
  expect(queue.retries('a')).toBe(0)
})

test('of keys that fail together a hundred come back at once, then ten in a second', async () => {
  const queue = new WorkQueue({ name: 'test' })
  for (let index = 0; index < 120; index++) queue.addRateLimited(`key-${index}`)

  await jest.advanceTimersByTimeAsync(5)
  expect(queue.length).toBe(100)
  await jest.advanceTimersByTimeAsync(995)
  expect(queue.length).toBe(110)
  await jest.advanceTimersByTimeAsync(1000)
  expect(queue.length).toBe(120)
})

test('workers repeat what failed, come back when asked to, and never share a key', async () => {
  const queue = queueOf('a', 'b')
  const stop = new AbortController()
  const calls: string[] = []
  const atWork = new Set<string>()
  const reconcile = async (key: string) => {
    expect(atWork.has(key)).toBe(false)
    atWork.add(key)
    calls.push(key)
    await Promise.resolve()
    atWork.delete(key)
    if (calls.filter((each) => each === 'a').length === 1 && key === 'a') throw new Error('first time')
    return key === 'b' ? { requeueAfter: 1000 } : undefined
  }
  const running = runWorkers({ queue, workers: 3, reconcile, log: silentLog(), signal: stop.signal })

  await jest.advanceTimersByTimeAsync(999)
  expect(calls).toEqual(['a', 'b', 'a'])
  await jest.advanceTimersByTimeAsync(2)
  expect(calls).toEqual(['a', 'b', 'a', 'b'])

  stop.abort()
  await running
})

test('a stop waits for the key at work and drops the rest', async () => {
  const queue = queueOf('a', 'b')
  const stop = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const reconcile = jest.fn(() => promise)
  const running = runWorkers({ queue, workers: 1, reconcile, log: silentLog(), signal: stop.signal })
  await jest.advanceTimersByTimeAsync(0)

  stop.abort()
  resolve()
  await running

  expect(reconcile.mock.calls).toEqual([['a']])
})

test('queues of a process tell their figures under the names of KubeVirt', async () => {
  const registry = createRegistry('test')
  const queue = new WorkQueue({ name: 'one', registry })
  const other = new WorkQueue({ name: 'two', registry })
  queue.add('a')
  queue.add('b')
  other.add('a')
  await queue.next()
  await jest.advanceTimersByTimeAsync(3000)

  const text = await registry.metrics()

  expect(text).toContain('kubevirt_workqueue_adds_total{name="one"} 2')
  expect(text).toContain('kubevirt_workqueue_depth{name="one"} 1')
  expect(text).toContain('kubevirt_workqueue_depth{name="two"} 1')
  expect(text).toContain('kubevirt_workqueue_longest_running_processor_seconds{name="one"} 3')
  expect(text).toContain('kubevirt_workqueue_unfinished_work_seconds{name="two"} 0')
  expect(text).toContain('kubevirt_workqueue_queue_duration_seconds_count{name="one"} 1')
})
