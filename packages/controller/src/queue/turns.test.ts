import { expect, test } from '@jest/globals'
import { silentLog } from '../testing/silent-log.ts'
import { runWorkers } from './workers.ts'
import { WorkQueue } from './work-queue.ts'

const busy = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('keys that wait for nothing let the process answer others in between', async () => {
  const count = 60
  const queue = new WorkQueue({ name: 'test' })
  for (let key = 0; key < count; key++) queue.add(String(key))
  const stop = new AbortController()
  let worked = 0
  let workedAtTimer = 0
  const reconcile = async (): Promise<void> => {
    busy(1)
    worked += 1
    if (worked === count) stop.abort()
  }
  setTimeout(() => (workedAtTimer = worked), 0)

  await runWorkers({ queue, workers: 3, reconcile, log: silentLog(), signal: stop.signal })

  expect(worked).toBe(count)
  expect(workedAtTimer).toBeGreaterThan(0)
  expect(workedAtTimer).toBeLessThan(count)
})
