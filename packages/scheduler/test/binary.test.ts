import { expect, test } from '@jest/globals'
import { execFile, spawn } from 'node:child_process'
import { mkdtempDisposable, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const binary = fileURLToPath(new URL('../bin/stickyvm-scheduler', import.meta.url))

test('--help lists the flags, also through a symbolic link from elsewhere', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'scheduler-'))
  const link = join(directory.path, 'stickyvm-scheduler')
  await symlink(binary, link)

  const { stdout } = await promisify(execFile)(link, ['--help'], { cwd: directory.path })

  for (const flag of ['--config string', '--leader-elect', '--kubeconfig string', '-v, --v int']) {
    expect(stdout).toContain(flag)
  }
  expect(stdout).toMatch(/--secure-port int .*\(default 10259\)/)
})

test('it answers health checks, says that it schedules nothing, and ends on SIGTERM', async () => {
  const flags = ['--leader-elect=false', '--bind-address', '127.0.0.1', '--secure-port', '0']
  const scheduler = spawn(binary, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => scheduler.once('exit', resolve))
  const messages: string[] = []
  let port = 0
  for await (const line of createInterface({ input: scheduler.stdout })) {
    const entry = JSON.parse(line) as { msg: string; port?: number }
    messages.push(entry.msg)
    port = entry.port ?? port
    if (entry.msg.startsWith('no profile is active yet')) break
  }

  const health = await fetch(`http://127.0.0.1:${port}/healthz`)
  expect([health.status, await health.text()]).toEqual([200, 'ok'])
  scheduler.kill('SIGTERM')

  expect(await ended).toBe(0)
  expect(messages.at(-1)).toBe('no profile is active yet: this version schedules no pod')
})
