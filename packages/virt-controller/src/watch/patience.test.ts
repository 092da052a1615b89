import { expect, test } from '@jest/globals'
import { Patience } from './patience.ts'

test('a state is told once it has lasted, and the next one has all the time again', () => {
  let now = 1000
  const patience = new Patience(() => now)
  expect(patience.left('a', 500)).toBe(500)
  now += 200
  expect(patience.left('a', 500)).toBe(300)
  expect(patience.left('b', 500)).toBe(500)
  now += 300
  expect(patience.left('a', 500)).toBe(0)
  patience.forget('a')
  expect(patience.left('a', 500)).toBe(500)
})
