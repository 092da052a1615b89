import { expect, test } from '@jest/globals'
import { pauseBetween, TickReader } from './ticks.ts'

test('counts are read across pieces; halves of a line and other words are none', () => {
  const reader = new TickReader()
  reader.take('login: \r\ntick 1.\r\ntic', 10)
  reader.take('k 2.\r\ntick 3', 22)
  expect(reader.ticks).toEqual([
    { count: 1, atMs: 10 },
    { count: 2, atMs: 22 },
  ])
})

test('a pause lies between the last count here and the first there, whatever was heard late', () => {
  const before = [
    { count: 1, atMs: 10 },
    { count: 2, atMs: 20 },
  ]
  expect(pauseBetween(before, [{ count: 3, atMs: 110 }])).toBe(90)
  expect(pauseBetween(before, [])).toBeUndefined()
  expect(pauseBetween([], [{ count: 3, atMs: 110 }])).toBeUndefined()
})
