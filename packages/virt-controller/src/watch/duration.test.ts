import { expect, test } from '@jest/globals'
import { millisecondsOf } from './duration.ts'

test.each<[unknown, number | undefined]>([
  ['1m30s', 90_000],
  ['0s', 0],
  ['0', 0],
  ['500ms', 500],
  ['1.5h', 5_400_000],
  ['1d', undefined],
  ['', undefined],
  [60, undefined],
])('%p is %p milliseconds', (duration, expected) => {
  expect(millisecondsOf(duration)).toBe(expected)
})
