import { expect, test } from '@jest/globals'
import type { MigrationOptions } from '@kubevirt-ts/handler-launcher-com'
import { allowedDowntimeMs, deadlineMs, judge, type Progress } from './verdict.ts'

const options: MigrationOptions = {
  Bandwidth: 0,
  ProgressTimeout: 150,
  CompletionTimeoutPerGiB: 150,
  UnsafeMigration: false,
  AllowAutoConverge: false,
  AllowPostCopy: false,
  AllowWorkloadDisruption: false,
}
const progress: Progress = {
  elapsedMs: 1_000,
  remaining: 10,
  least: { remaining: 10, atMs: 1_000 },
  mode: 'PreCopy',
  size: 128e6,
}
const late = { ...progress, elapsedMs: 151_000, least: { remaining: 1, atMs: 150_000 } }

test.each([
  [128e6, 150_000],
  [1e9, 150_000],
  [1e9 + 1, 300_000],
])('%d bytes have %d ms', (size, limit) => {
  expect(deadlineMs(size, options)).toBe(limit)
})

test('a migration that goes ahead goes on', () => {
  expect(judge(progress, options)).toEqual({ kind: 'go-on' })
})

test('one that makes no progress is given up', () => {
  const verdict = judge({ ...progress, elapsedMs: 149_000 + 3_000, size: 2e9 }, options)
  expect(verdict).toMatchObject({ kind: 'abort', reason: expect.stringContaining('no progress for 150 s') })
})

test('one that is late is given up, finished by pausing the guest, or by post-copy, as allowed', () => {
  expect(judge(late, options)).toMatchObject({ kind: 'abort', reason: expect.stringContaining('150 s') })
  expect(judge(late, { ...options, AllowWorkloadDisruption: true })).toEqual({ kind: 'pause' })
  const postCopy = { ...options, AllowWorkloadDisruption: true, AllowPostCopy: true }
  expect(judge(late, postCopy)).toEqual({ kind: 'post-copy' })
})

test('a paused guest gets twice the time, a guest in post-copy is never taken back', () => {
  expect(judge({ ...late, mode: 'Paused' }, options)).toEqual({ kind: 'go-on' })
  const elapsedMs = 301_000
  const least = { remaining: 1, atMs: elapsedMs }
  expect(judge({ ...late, mode: 'Paused', elapsedMs, least }, options)).toEqual({
    kind: 'abort',
    reason: 'the migration did not end within 300 s',
  })
  expect(judge({ ...late, mode: 'PostCopy', elapsedMs: 9e9 }, options)).toEqual({ kind: 'go-on' })
})

test('without a limit it may take for ever', () => {
  expect(
    judge({ ...late, elapsedMs: 9e9, least: { remaining: 1, atMs: 9e9 } }, { ...options, CompletionTimeoutPerGiB: 0 }),
  ).toEqual({ kind: 'go-on' })
})

test.each<[number, string, Partial<Progress>, Partial<MigrationOptions>]>([
  [80, 'that is copied well', {}, {}],
  [300, 'of which for 2 s not less was left', { elapsedMs: 3_001 }, {}],
  [900, 'that may stand still longer and is not copied well', { elapsedMs: 3_001 }, { MaxDowntimeMs: 900 }],
  [50, 'that may hardly stand still', {}, { MaxDowntimeMs: 50 }],
])('%d ms are allowed to a guest %s', (expected, _, seen, wishes) => {
  expect(allowedDowntimeMs({ ...progress, ...seen }, { ...options, ...wishes })).toBe(expected)
})
