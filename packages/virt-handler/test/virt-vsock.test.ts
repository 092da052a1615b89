import { afterAll, expect, test } from '@jest/globals'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { vsockDialler } from '../src/host/vsock.ts'
import { buildProgram, buildVsockCopier } from './build-program.ts'

const helper = buildProgram('virt-vsock')
const copier = buildVsockCopier()

afterAll(() => {
  helper[Symbol.dispose]()
  copier[Symbol.dispose]()
})

test.each([
  ['2', '1024'],
  ['4294967295', '1024'],
  ['18446744073709551619', '1024'],
  ['+3', '1024'],
  [' 3', '1024'],
  ['3', '0'],
  ['3', '4294967296'],
  ['3', '-1'],
  ['3', '22x'],
  ['3', ''],
])('CID %j with port %j is wrong usage', (cid, port) => {
  const { status, stderr } = spawnSync(helper.program, [cid, port], { encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toMatch(/^(CID|PORT) wants a number from \d+ to \d+, not '.*'\n$/)
})

test('a guest that cannot be reached is a reason in one line', async () => {
  await expect(vsockDialler(helper.program)(4294967294, 1024)).rejects.toThrow(/^cannot connect: [A-Z][^\n]+$/)
})

test('a program that is not there is a reason, too', async () => {
  await expect(vsockDialler('/nowhere/virt-vsock')(3, 1)).rejects.toThrow('ENOENT')
})

test('the stream of a dialler loses nothing, waits for its reader and ends each way alone', async () => {
  const path = join(copier.folder, 'echo')
  const echo = createServer({ allowHalfOpen: true }, (guest) => guest.pipe(guest))
  await new Promise<void>((resolve) => echo.listen(path, resolve))
  const program = join(copier.folder, 'to-echo')
  writeFileSync(program, `#!/bin/sh\nexec ${copier.program} ${path}\n`, { mode: 0o755 })
  const stream = await vsockDialler(program)(7, 1024)
  const typed = randomBytes(8 * 1024 * 1024)

  stream.end(typed)
  expect(Buffer.concat(await stream.toArray()).equals(typed)).toBe(true)
  await new Promise((resolve) => echo.close(resolve))
})

/** The program as its caller has it, and a guest that it is connected to. */
async function connect() {
  const path = join(copier.folder, 'guest')
  const listener = createServer({ allowHalfOpen: true })
  await new Promise<void>((resolve) => listener.listen(path, resolve))
  const child = spawn(copier.program, [path])
  const [[guest]] = (await Promise.all([once(listener, 'connection'), once(child.stderr, 'data')])) as [
    [Socket],
    unknown,
  ]
  listener.close()
  return { child, guest, exit: once(child, 'exit') }
}

test('all bytes pass both ways at once, also to readers that take their time, and each way ends alone', async () => {
  const { child, guest, exit } = await connect()
  const [typed, told] = [randomBytes(8 * 1024 * 1024), randomBytes(8 * 1024 * 1024)]
  // Both write all that they have before either reads: what is full one way does not stop the other.
  child.stdin.end(typed)
  guest.write(told)
  const heard = Buffer.concat(await guest.toArray())
  expect(heard.equals(typed)).toBe(true)
  guest.end('last words')
  const read = Buffer.concat(await child.stdout.toArray())
  expect(read.equals(Buffer.concat([told, Buffer.from('last words')]))).toBe(true)
  expect(await exit).toEqual([0, null])
})

test('a guest that ends its sending still hears what is typed', async () => {
  const { child, guest, exit } = await connect()
  guest.end('goodbye')
  expect(await text(child.stdout)).toBe('goodbye')
  child.stdin.end('good night')
  expect(await text(guest)).toBe('good night')
  expect(await exit).toEqual([0, null])
})

test('what was typed before the caller went reaches the guest, and the program ends', async () => {
  const { child, guest, exit } = await connect()
  child.stdout.destroy()
  child.stdin.end('typed last')
  expect(await text(guest)).toBe('typed last')
  expect(await exit).toEqual([0, null])
})

test('a guest that takes nothing does not keep the program when its caller has gone', async () => {
  const { child, guest, exit } = await connect()
  child.stdin.on('error', () => undefined).write(randomBytes(8 * 1024 * 1024))
  child.stdout.destroy()
  expect(await exit).toEqual([null, 'SIGALRM'])
  guest.destroy()
})

test('the last words of a guest that hears nothing any more are still read', async () => {
  const { child, guest, exit } = await connect()
  guest.write('last words')
  guest.destroySoon()
  child.stdin.on('error', () => undefined).write('nobody hears this')
  expect(await text(child.stdout)).toBe('last words')
  child.stdin.end()
  await exit
})
