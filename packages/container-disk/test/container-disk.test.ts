import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../src/container-disk.c', import.meta.url))
let work = ''
let program = ''
let started: ChildProcess[] = []

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'container-disk-'))
  program = join(work, 'container-disk')
  const compiled = spawnSync('gcc', ['-static', '-O2', '-Wall', '-Wextra', '-Werror', '-o', program, source], {
    encoding: 'utf8',
  })
  expect(compiled.stderr).toBe('')
  expect(compiled.status).toBe(0)
})

afterEach(() => {
  for (const child of started) child.kill('SIGKILL')
  started = []
})

afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Starts the program for one disk and waits until its socket accepts a connection. */
async function serve(path: string): Promise<ChildProcess> {
  const child = spawn(program, ['--copy-path', path], { stdio: ['ignore', 'ignore', 'pipe'] })
  started.push(child)
  while (!(await answers(`${path}.sock`))) {
    if (child.exitCode !== null)
      throw new Error(`container-disk ended with ${child.exitCode} before its socket answered`)
  }
  return child
}

/** True when something accepts a connection at the socket and closes it. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('error', () => setImmediate(resolve, false))
    socket.once('close', (hadError) => !hadError && resolve(true))
    socket.resume()
  })
}

const run = (...args: string[]) => spawnSync(program, args, { encoding: 'utf8' })

describe('container-disk', () => {
  it('makes the folder for everybody and listens on PATH.sock', async () => {
    const path = join(work, 'shared', 'disk_0')
    await serve(path)
    expect(statSync(`${path}.sock`).isSocket()).toBe(true)
    expect(statSync(join(work, 'shared')).mode & 0o777).toBe(0o777)
  })

  it('answers one connection after another', async () => {
    const path = join(work, 'again')
    await serve(path)
    for (let n = 0; n < 5; n++) expect(await answers(`${path}.sock`)).toBe(true)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('removes its socket and exits 0 on %s', async (signal) => {
    const path = join(work, `stop-${signal}`)
    const child = await serve(path)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(existsSync(`${path}.sock`)).toBe(false)
  })

  it('exits 0 within seconds when its socket file is removed', async () => {
    const path = join(work, 'removed')
    const child = await serve(path)
    rmSync(`${path}.sock`)
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('takes the place of a socket that an earlier run left behind', async () => {
    const path = join(work, 'stale')
    const first = await serve(path)
    first.kill('SIGKILL')
    await once(first, 'exit')
    expect(existsSync(`${path}.sock`)).toBe(true)
    await serve(path)
  })

  it('understands --copy-path=PATH', () => {
    expect(run(`--copy-path=${join(work, 'missing', 'folder', 'disk')}`).stderr).toContain('cannot make the directory')
  })

  it('exits 0 at once with --no-op', () => {
    expect(run('--no-op').status).toBe(0)
  })

  it('takes a socket path of 107 characters and names the limit for a longer one', async () => {
    const path = join(work, 'x'.repeat(107 - `${work}/.sock`.length))
    await serve(path)
    const refused = run('--copy-path', `${path}x`)
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('108 characters long, at most 107 fit')
  })

  it('names what it does not understand', () => {
    const refused = run('--copy-pth', '/x')
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain('cannot understand --copy-pth')
    expect(run().status).toBe(2)
  })
})
