import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { flockExclusive } from './index.ts'

test('one holder at a time has the lock, and closing the file passes it on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'))
  const first = openSync(join(folder, 'lock'), 'w')
  const second = openSync(join(folder, 'lock'), 'w')

  expect(flockExclusive(first)).toBe(true)
  expect(flockExclusive(second)).toBe(false)
  closeSync(first)
  expect(flockExclusive(second)).toBe(true)

  closeSync(second)
  rmSync(folder, { recursive: true })
})
