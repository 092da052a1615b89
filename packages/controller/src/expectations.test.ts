import { expect, test } from '@jest/globals'
import { Expectations } from './expectations.ts'

test('a key waits until its creations and deletions are seen', () => {
  const expectations = new Expectations()
  expectations.expectCreations('k', 2)
  expectations.expectDeletions('k', ['u1'])

  expectations.creationObserved('k')
  expectations.creationObserved('k')
  expect(expectations.satisfied('k')).toBe(false)
  expectations.deletionObserved('k', 'u1')

  expect(expectations.satisfied('k')).toBe(true)
  expect(expectations.satisfied('other')).toBe(true)
})

test('a deletion that is seen twice counts once', () => {
  const expectations = new Expectations()
  expectations.expectDeletions('k', ['u1', 'u2'])

  expectations.deletionObserved('k', 'u1')
  expectations.deletionObserved('k', 'u1')

  expect(expectations.satisfied('k')).toBe(false)
})

test('what is never seen expires after five minutes', () => {
  let now = 0
  const expectations = new Expectations({ now: () => now })
  expectations.expectCreations('k', 1)

  now = 5 * 60_000 - 1
  expect([expectations.satisfied('k'), expectations.expiresIn('k')]).toEqual([false, 1])
  now += 1

  expect(expectations.satisfied('k')).toBe(true)
})
