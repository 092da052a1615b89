import { expect, test } from '@jest/globals'
import { migrationProgressOf } from '@kubevirt-ts/api'
import { progressToTell, withProgress } from './progress.ts'

const vmi = {
  metadata: { name: 'a', annotations: { own: 'x' } },
  spec: { domain: { devices: {} } },
  status: { migrationState: { migrationUid: 'm' } },
}
const now = Date.parse('2026-01-01T00:00:00Z')
const told = (remainingBytes: number, downtimeMs?: number) => ({
  uid: 'm',
  progress: { totalBytes: 100, remainingBytes, bytesPerSecond: 1, ...(downtimeMs === undefined ? {} : { downtimeMs }) },
})

test('progress is told in an annotation, beside all others', () => {
  const after = withProgress(vmi, progressToTell(vmi, told(90), now))
  expect(after.metadata.annotations).toMatchObject({ own: 'x' })
  expect(migrationProgressOf(after.metadata, 'm')).toMatchObject({ remainingBytes: 90, bytesPerSecond: 1 })
  expect(migrationProgressOf(after.metadata, 'another')).toBeUndefined()
})

test('it is told again after 5 s, where it changed, and the end at once', () => {
  const before = withProgress(vmi, progressToTell(vmi, told(90), now))
  expect(progressToTell(before, told(50), now + 4_999)).toBeUndefined()
  expect(progressToTell(before, told(90), now + 60_000)).toBeUndefined()
  expect(progressToTell(before, told(50), now + 5_000)).toMatchObject({ remainingBytes: 50 })
  expect(progressToTell(before, told(0, 120), now + 1)).toMatchObject({ remainingBytes: 0, downtimeMs: 120 })
})

test('a migration of which nothing is known, and an annotation that cannot be read, are no trouble', () => {
  expect(progressToTell(vmi, undefined, now)).toBeUndefined()
  expect(migrationProgressOf({ annotations: { 'migration.kubevirt-ts.io/progress': '{' } }, 'm')).toBeUndefined()
})
