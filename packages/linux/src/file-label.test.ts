import { closeSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { fileLabel, O_PATH, openBeneath, setFileLabel } from './index.ts'

const label = 'system_u:object_r:container_file_t:s0:c1,c2'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'label-'))
  writeFileSync(join(folder, 'file'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const named = (path: string): Disposable & { fd: number } => {
  const fd = openBeneath(folder, path, O_PATH)
  return { fd, [Symbol.dispose]: () => closeSync(fd) }
}

test('a file that is only named can be labelled', () => {
  using file = named('file')
  expect(fileLabel(file.fd)).toBeUndefined()

  setFileLabel(file.fd, label)

  expect(fileLabel(file.fd)).toBe(label)
})

test('what has taken the place of the file meanwhile is not labelled', () => {
  using file = named('file')
  writeFileSync(join(folder, 'other'), '')
  renameSync(join(folder, 'file'), join(folder, 'moved'))
  symlinkSync('other', join(folder, 'file'))

  setFileLabel(file.fd, label)

  using moved = named('moved')
  using other = named('other')
  expect([fileLabel(moved.fd), fileLabel(other.fd)]).toEqual([label, undefined])
})
