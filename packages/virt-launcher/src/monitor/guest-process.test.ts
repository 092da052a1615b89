import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { guestProcess } from './guest-process.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guest-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the end of a guest is seen at once when somebody hints at it', async () => {
  const qemu = spawn('sleep', ['60'], { stdio: 'ignore' })
  const pidFile = join(folder, 'pid')
  writeFileSync(pidFile, `${qemu.pid}`)
  const { promise: hint, resolve } = Promise.withResolvers<void>()
  let ended = false
  const gone = guestProcess(pidFile)
    .gone(hint)
    .then(() => (ended = true))

  await new Promise(setImmediate)
  expect(ended).toBe(false)
  qemu.kill('SIGKILL')
  resolve()

  expect(await gone).toBe(true)
})

test('a file that appears a little later counts', async () => {
  const qemu = spawn('sleep', ['60'], { stdio: 'ignore' })
  const pidFile = join(folder, 'pid')
  const gone = guestProcess(pidFile).gone(Promise.resolve())

  writeFileSync(pidFile, `${qemu.pid}`)
  qemu.kill('SIGKILL')

  await expect(gone).resolves.toBeUndefined()
})
