import { expect, test } from '@jest/globals'
import type { KubeObject } from '@kubevirt-ts/api'
import { OwnWrites } from './own-writes.ts'

const at = (resourceVersion: string): KubeObject => ({ metadata: { name: 'a', namespace: 'b', resourceVersion } })

test('a version that was replaced by an own write is stale until the cache has moved on', () => {
  const writes = new OwnWrites(() => 0)
  writes.note(at('1'), at('2'))

  expect(writes.staleFor(at('1'))).toBe(10_000)
  expect(writes.staleFor(at('2'))).toBe(0)
  expect(writes.staleFor(at('1'))).toBe(0)
})

test('a write that changed nothing makes nothing stale', () => {
  const writes = new OwnWrites(() => 0)
  writes.note(at('1'), at('1'))

  expect(writes.staleFor(at('1'))).toBe(0)
})

test('a cache that never moves on is believed again after a while', () => {
  let now = 0
  const writes = new OwnWrites(() => now)
  writes.note(at('1'), at('2'))
  now = 10_000

  expect(writes.staleFor(at('1'))).toBe(0)
})

test('what was deleted is stale, and so is what lost its last finalizer', () => {
  const writes = new OwnWrites(() => 0)
  writes.note(at('1'))
  expect(writes.staleFor(at('1'))).toBe(10_000)

  const gone = { metadata: { ...at('3').metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [] } }
  writes.note(at('3'), gone)
  expect(writes.staleFor(at('3'))).toBe(10_000)
})

test('a version that another wrote between what was seen and the own write is stale too', () => {
  const writes = new OwnWrites(() => 0)
  writes.note(at('8'), at('11'))

  expect(writes.staleFor(at('9'))).toBe(10_000)
  expect(writes.staleFor(at('11'))).toBe(0)
})

test('versions that are no numbers are only compared for being equal', () => {
  const writes = new OwnWrites(() => 0)
  writes.note(at('b'), at('a'))

  expect(writes.staleFor(at('b'))).toBe(10_000)
  expect(writes.staleFor(at('c'))).toBe(0)
})
