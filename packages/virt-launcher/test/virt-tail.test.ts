import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { flockExclusive } from '@kubevirt-ts/linux'
import { compile, start } from './c-program.ts'

let folder: string
let tail: string
let patient: string
let lock: number
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tail-'))
  tail = compile('tail/virt-tail.c', join(folder, 'virt-tail'))
  patient = compile('tail/virt-tail.c', join(folder, 'patient-tail'), { LOOK_AGAIN_MS: '600000' })
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  lock = openSync(join(folder, 'lock'), 'w')
  flockExclusive(lock)
})
afterEach(() => {
  rmSync(join(folder, 'lock'))
  rmSync(join(folder, 'log'), { force: true })
})

const startTail = (program = tail) => start(program, ['--logfile', join(folder, 'log'), '--lock', join(folder, 'lock')])

test('a log that appears later is shown, line after line, and what was left at the end', async () => {
  await using run = startTail()

  writeFileSync(join(folder, 'log'), 'one\n')
  await run.says('one\n')
  appendFileSync(join(folder, 'log'), 'two\n')
  await run.says('two\n')
  appendFileSync(join(folder, 'log'), 'last words')
  closeSync(lock)

  expect(await run.ended).toBe(0)
  expect(run.output()).toBe('one\ntwo\nlast words')
})

test('a log that was emptied or replaced goes on from its beginning', async () => {
  writeFileSync(join(folder, 'log'), 'a long first part\n')
  await using run = startTail()
  await run.says('first part\n')

  truncateSync(join(folder, 'log'))
  appendFileSync(join(folder, 'log'), 'emptied\n')
  await run.says('emptied\n')
  writeFileSync(join(folder, 'next'), 'replaced\n')
  renameSync(join(folder, 'next'), join(folder, 'log'))
  await run.says('replaced\n')

  closeSync(lock)
  expect(await run.ended).toBe(0)
})

test('the end of the compute container is told by its lock, not found by looking again', async () => {
  writeFileSync(join(folder, 'log'), 'up\n')
  await using run = startTail(patient)
  await run.says('up\n')

  closeSync(lock)

  expect(await run.ended).toBe(0)
})

test('TERM does not cut off a guest that is still shutting down', async () => {
  writeFileSync(join(folder, 'log'), 'up\n')
  await using run = startTail()
  await run.says('up\n')

  run.process.kill('SIGTERM')
  appendFileSync(join(folder, 'log'), 'powering off\n')
  await run.says('powering off\n')

  closeSync(lock)
  expect(await run.ended).toBe(0)
})

test('TERM ends it when there never was a guest', async () => {
  await using run = start(tail, ['--logfile', join(folder, 'log'), '--lock', join(folder, 'none')])
  while (run.process.exitCode === null && run.process.signalCode === null) {
    run.process.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }

  closeSync(lock)
  expect([0, 'SIGTERM']).toContain(await run.ended)
})

test('a link in place of the log is not followed', async () => {
  symlinkSync('/etc/passwd', join(folder, 'log'))
  await using run = startTail()

  closeSync(lock)

  expect(await run.ended).toBe(0)
  expect(run.output()).toBe('')
})

test('without a file it says what is missing', async () => {
  await using run = start(tail, [])

  closeSync(lock)
  expect(await run.ended).toBe(2)
})
