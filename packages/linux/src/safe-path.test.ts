import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { chownFd, O_PATH, openBeneath } from './index.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'safe-'))
  mkdirSync(join(root, 'inside'))
  writeFileSync(join(root, 'inside/file'), 'content')
})
afterEach(() => rmSync(root, { recursive: true }))

function contentOf(fd: number): string {
  try {
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

test('a file below the root is opened by its path', () => {
  expect(contentOf(openBeneath(root, 'inside/file'))).toBe('content')
})

test('an absolute path starts at the root, and .. does not leave it', () => {
  expect(contentOf(openBeneath(root, '/inside/file'))).toBe('content')
  expect(contentOf(openBeneath(root, '../../inside/file'))).toBe('content')
})

test.each([
  ['the file itself', 'link'],
  ['a folder on the way', 'folder/passwd'],
])('a link in place of %s is refused', (_, path) => {
  symlinkSync('/etc/passwd', join(root, 'link'))
  symlinkSync('/etc', join(root, 'folder'))

  expect(() => openBeneath(root, path)).toThrow(expect.objectContaining({ code: 'ELOOP', syscall: 'openat2' }))
})

test('a folder that is already open serves as root', () => {
  const folder = openBeneath(root, 'inside', O_PATH)

  expect(contentOf(openBeneath(folder, 'file'))).toBe('content')
  closeSync(folder)
})

test('a file is created with the mode asked for', () => {
  closeSync(openBeneath(root, 'inside/new', constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o640))

  expect(statSync(join(root, 'inside/new')).mode & 0o777).toBe(0o640)
})

test('what is not there is reported by name', () => {
  expect(() => openBeneath(root, 'missing')).toThrow('openat2 missing: ENOENT')
})

test('the owner of a file that is only named can be changed', () => {
  const fd = openBeneath(root, 'inside/file', O_PATH)
  const { uid, gid } = statSync(join(root, 'inside/file'))

  chownFd(fd, uid, gid)

  closeSync(fd)
  expect(statSync(join(root, 'inside/file'))).toMatchObject({ uid, gid })
})
