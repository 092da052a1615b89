import { expect, test } from '@jest/globals'
import { isSameJson } from './same.ts'

test.each([
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: null }, {}, false],
  [[], {}, false],
  ['1', 1, false],
])('%j and %j as the same JSON: %s', (a, b, expected) => {
  expect(isSameJson(a, b)).toBe(expected)
})
