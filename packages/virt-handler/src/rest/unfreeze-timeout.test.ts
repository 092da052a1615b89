import { expect, test } from '@jest/globals'
import { unfreezeSeconds } from './unfreeze-timeout.ts'

test.each([
  ['', 0],
  ['{}', 0],
  ['{"unfreezeTimeout":"5m0s"}', 300],
  ['{"unfreezeTimeout":"1h30m"}', 5400],
  ['{"unfreezeTimeout":"500ms"}', 1],
  ['{"unfreezeTimeout":3000000000}', 3],
])('%j is %d seconds', (body, seconds) => {
  expect(unfreezeSeconds(body)).toBe(seconds)
})

test.each(['soon', '5', '5m oops'])('%s is refused by name', (text) => {
  expect(() => unfreezeSeconds(JSON.stringify({ unfreezeTimeout: text }))).toThrow(text)
})
