import { expect, test } from '@jest/globals'
import { Allowed } from './allowed.ts'

test('what was allowed is remembered for ten seconds', () => {
  const allowed = new Allowed()
  allowed.add('a', 1000)
  expect(allowed.has('a', 10_999)).toBe(true)
  expect(allowed.has('b', 1000)).toBe(false)
  expect(allowed.has('a', 11_000)).toBe(false)
  expect(allowed.has('a', 1000)).toBe(false)
})

test('of very many the oldest are forgotten, one that was allowed again is not', () => {
  const allowed = new Allowed()
  allowed.add('first', 0)
  allowed.add('second', 0)
  allowed.add('first', 0)
  for (let index = 0; index < 1023; index++) allowed.add(`other ${index}`, 0)
  expect(allowed.has('second', 1)).toBe(false)
  expect(allowed.has('first', 1)).toBe(true)
})
