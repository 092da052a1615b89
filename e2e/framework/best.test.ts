import { expect, test } from '@jest/globals'
import { bestWithin } from './best.ts'

/** Measures these times one after the other, and counts. */
function timed(...times: readonly number[]) {
  const asked: number[] = []
  const measure = async (attempt: number) => {
    asked.push(attempt)
    return times[attempt] ?? NaN
  }
  return { asked, measure }
}

test('what keeps the limit is measured once', async () => {
  const { asked, measure } = timed(100)
  expect(await bestWithin(100, measure)).toBe(100)
  expect(asked).toEqual([0])
})

test('what does not is measured again until it does', async () => {
  const { asked, measure } = timed(300, 90)
  expect(await bestWithin(100, measure)).toBe(90)
  expect(asked).toEqual([0, 1])
})

test('what is always too slow shows its best time, above the limit', async () => {
  const { asked, measure } = timed(300, 200, 250)
  expect(await bestWithin(100, measure)).toBe(200)
  expect(asked).toEqual([0, 1, 2])
})
