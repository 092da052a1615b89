import { expect, test } from '@jest/globals'
import { Backoff } from './backoff.ts'

test('waits double up to 30 s, spread over a half, and start anew after a success', () => {
  const backoff = new Backoff()
  const upper = [0, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]

  for (const longest of upper) {
    const wait = backoff.next()
    expect(wait).toBeLessThanOrEqual(longest)
    expect(wait).toBeGreaterThanOrEqual(longest / 2)
  }
  backoff.reset()

  expect(backoff.next()).toBe(0)
})

test('a lower limit holds for the wait at hand', () => {
  const backoff = new Backoff()

  for (let index = 0; index < 8; index++) backoff.next()

  expect(backoff.next(5000)).toBeLessThanOrEqual(5000)
})
