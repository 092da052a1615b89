import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { TokenBucket } from './token-bucket.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Names of those who passed so far, in order. */
function passing(bucket: TokenBucket, count: number): number[] {
  const passed: number[] = []
  for (let index = 0; index < count; index++) void bucket.take().then(() => passed.push(index))
  return passed
}

test('a burst passes at once, the rest at the given rate and in order', async () => {
  const passed = passing(new TokenBucket({ qps: 10, burst: 2 }), 5)

  await jest.advanceTimersByTimeAsync(0)
  expect(passed).toEqual([0, 1])
  await jest.advanceTimersByTimeAsync(100)
  expect(passed).toEqual([0, 1, 2])
  await jest.advanceTimersByTimeAsync(200)
  expect(passed).toEqual([0, 1, 2, 3, 4])
})

test('a new limit counts for those who wait already', async () => {
  const bucket = new TokenBucket({ qps: 0.001, burst: 1 })
  const passed = passing(bucket, 3)
  await jest.advanceTimersByTimeAsync(1000)
  expect(passed).toEqual([0])

  bucket.setLimit({ qps: 100, burst: 1 })
  await jest.advanceTimersByTimeAsync(20)

  expect(passed).toEqual([0, 1, 2])
})

test('no limit lets everybody pass', async () => {
  const passed = passing(new TokenBucket({ qps: 0, burst: 0 }), 100)
  await jest.advanceTimersByTimeAsync(0)
  expect(passed).toHaveLength(100)
})

test('who gives up leaves the line', async () => {
  const bucket = new TokenBucket({ qps: 10, burst: 1 })
  await bucket.take()
  const abort = new AbortController()
  const given = bucket.take(abort.signal)
  const passed = passing(bucket, 1)

  abort.abort(new Error('enough'))

  await expect(given).rejects.toThrow('enough')
  await jest.advanceTimersByTimeAsync(100)
  expect(passed).toEqual([0])
})
