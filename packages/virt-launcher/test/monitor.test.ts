import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
  openSync,
  closeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { flockExclusive } from '@kubevirt-ts/linux'
import { compile, start } from './c-program.ts'

let folder: string
let monitor: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'monitor-'))
  monitor = compile('monitor/virt-launcher-monitor.c', join(folder, 'virt-launcher-monitor'), {
    LAUNCHER: `"${join(folder, 'launcher')}"`,
    PRIVATE_DIR: `"${join(folder, 'private')}"`,
    QEMU_GRACE_SECONDS: '1',
  })
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  rmSync(join(folder, 'private'), { recursive: true, force: true })
  mkdirSync(join(folder, 'private'))
})

/** Writes a shell script; as the launcher, or under the name of a QEMU. */
function script(name: string, ...lines: string[]): void {
  writeFileSync(join(folder, name), ['#!/bin/sh', `cd ${folder}`, ...lines, ''].join('\n'))
  chmodSync(join(folder, name), 0o755)
}

test("the launcher gets the monitor's arguments, but for the one that is the monitor's own", async () => {
  script('launcher', 'echo "$@"')
  await using run = start(monitor, ['--name', 'vm', '--keep-after-failure', '--uid', 'u'])

  expect(await run.ended).toBe(0)
  expect(run.output()).toBe('--name vm --uid u\n')
})

test.each([
  ['its exit code', 'exit 7', 7],
  ['128 and the number of the signal that ended it', 'kill -KILL $$', 137],
])('the monitor ends as the launcher does: with %s', async (_, line, code) => {
  script('launcher', line)
  await using run = start(monitor, [])

  expect(await run.ended).toBe(code)
})

test('a launcher that cannot be started is an error', async () => {
  rmSync(join(folder, 'launcher'))
  await using run = start(monitor, [])

  expect(await run.ended).toBe(127)
})

test.each(['SIGTERM', 'SIGINT', 'SIGQUIT'] as const)('%s reaches the launcher as TERM', async (signal) => {
  script('launcher', 'trap "echo terminated; exit 3" TERM', 'echo ready', 'while :; do sleep 0.02; done')
  await using run = start(monitor, [])
  await run.says('ready')

  run.process.kill(signal)

  expect(await run.ended).toBe(3)
  expect(run.output()).toContain('terminated')
})

test('processes that nobody waits for are reaped while the launcher runs', async () => {
  script(
    'launcher',
    '(sleep 0.01 & echo $! > orphan)',
    'sleep 0.05',
    'while [ -e /proc/$(cat orphan) ]; do sleep 0.01; done',
    'echo reaped',
  )
  await using run = start(monitor, [])

  expect(await run.ended).toBe(0)
  expect(run.output()).toBe('reaped\n')
})

test('a QEMU that is left over is ended', async () => {
  script('qemu-system-good', 'echo $$ > qemu.pid', 'exec 1>&- 2>&-', 'while :; do sleep 0.02; done')
  script('launcher', 'rm -f qemu.pid', '(setsid ./qemu-system-good &)', 'while [ ! -s qemu.pid ]; do sleep 0.01; done')
  await using run = start(monitor, [])

  expect(await run.ended).toBe(0)
  expect(existsSync(`/proc/${readFileSync(join(folder, 'qemu.pid'), 'utf8').trim()}`)).toBe(false)
})

test('a QEMU that does not end in time is a failure', async () => {
  script('qemu-system-bad', 'trap "" TERM', 'echo $$ > qemu.pid', 'exec 1>&- 2>&-', 'while :; do sleep 0.02; done')
  script('launcher', 'rm -f qemu.pid', '(setsid ./qemu-system-bad &)', 'while [ ! -s qemu.pid ]; do sleep 0.01; done')
  await using run = start(monitor, [])

  expect(await run.ended).toBe(1)
  process.kill(Number(readFileSync(join(folder, 'qemu.pid'), 'utf8')), 'SIGKILL')
})

test('the containers that serve disks are told to end, and nothing else is removed', async () => {
  const disks = join(folder, 'disks')
  mkdirSync(disks)
  for (const name of ['disk_0.sock', 'disk_0.img']) writeFileSync(join(disks, name), '')
  script('launcher', 'ls disks')
  await using run = start(monitor, ['--container-disk-dir', disks])

  expect(await run.ended).toBe(0)
  expect(run.output()).toBe('disk_0.img\ndisk_0.sock\n')
  expect(existsSync(join(disks, 'disk_0.img'))).toBe(true)
  expect(existsSync(join(disks, 'disk_0.sock'))).toBe(false)
})

test('the lock that others wait for is held from before the launcher starts to the end', async () => {
  script('launcher', 'trap "exit 0" TERM', 'echo ready', 'while :; do sleep 0.02; done')
  await using run = start(monitor, [])
  await run.says('ready')
  const lock = openSync(join(folder, 'private/compute.lock'), 'r')

  expect(flockExclusive(lock)).toBe(false)
  run.process.kill('SIGTERM')
  await run.ended
  expect(flockExclusive(lock)).toBe(true)
  closeSync(lock)
})

const withIstioAt = (port: number): string =>
  compile('monitor/virt-launcher-monitor.c', join(folder, `monitor-${port}`), {
    LAUNCHER: `"${join(folder, 'launcher')}"`,
    PRIVATE_DIR: `"${join(folder, 'private')}"`,
    ISTIO_PORT: String(port),
  })

test('an istio proxy in the pod is told to quit, again until it has heard', async () => {
  const asked: string[] = []
  const proxy = createServer(({ method, url }, answer) => {
    asked.push(`${method} ${url}`)
    answer.writeHead(asked.length === 1 ? 503 : 200).end()
  }).listen(0, '0.0.0.0')
  await new Promise((resolve) => proxy.once('listening', resolve))
  script('launcher', 'exit 0')
  await using run = start(withIstioAt((proxy.address() as AddressInfo).port), [])

  expect(await run.ended).toBe(0)
  expect(asked).toEqual(['POST /quitquitquit', 'POST /quitquitquit'])
  proxy.close()
})

test('without a proxy nobody is waited for, also where packets to this pod are lost', async () => {
  const rules = 'add table ip lossy; add chain ip lossy out { type filter hook output priority 0; policy drop; }'
  script('launcher', 'exit 0')
  const lossy = `ip link set lo up && nft '${rules}' && echo lossy && exec ${monitor}`
  await using run = start('unshare', ['--net', 'sh', '-c', lossy])

  expect(await run.ended).toBe(0)
  expect(run.output()).toBe('lossy\n')
})

test('after a failure the pod is kept on request until it is told to end', async () => {
  script('launcher', 'echo failing', 'exit 5')
  await using run = start(monitor, ['--keep-after-failure'])
  await run.says('failing')
  while (readFileSync(`/proc/${run.pid}/task/${run.pid}/children`, 'utf8') !== '') await new Promise(setImmediate)

  run.process.kill('SIGTERM')

  expect(await run.ended).toBe(5)
})
