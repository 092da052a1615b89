import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { peerCredentials } from './index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'peer-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a listening socket tells the process behind it', async () => {
  const path = join(folder, 'socket')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, () => resolve()))

  const { pid, uid, gid } = peerCredentials(path)

  expect({ pid, uid, gid }).toEqual({ pid: process.pid, uid: process.getuid!(), gid: process.getgid!() })
  await new Promise((resolve) => server.close(resolve))
})

test('a socket without a listener is an error that names it', () => {
  const path = join(folder, 'nobody')

  expect(() => peerCredentials(path)).toThrow(`connect ${path}: ENOENT`)
})
