import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimedGuest, claimOf } from './claim.ts'

const words = '--qemu-timeout 240s --name vm --uid 5e6f --namespace ns --hypervisor kvm'.split(' ')
const guest = { namespace: 'ns', name: 'vm', uid: '5e6f' }

test('a launcher says by its arguments whom it is there for', () => {
  expect(claimOf(['/usr/bin/virt-launcher-monitor', ...words])).toEqual(guest)
})

test.each<[string, readonly string[]]>([
  ['none', []],
  ['those of another program', ['sleep', 'infinity']],
  ['one without a value', ['--namespace', 'ns', '--name', 'vm', '--uid']],
  ['a selector', ['--namespace', 'ns', '--name', 'vm,metadata.namespace!=ns', '--uid', '5e6f']],
  ['a path', ['--namespace', '../other', '--name', 'vm', '--uid', '5e6f']],
  ['the path of a record', ['--namespace', 'ns', '--name', 'vm', '--uid', '../../etc/passwd']],
  ['a name that is too long', ['--namespace', 'ns', '--name', 'v'.repeat(300), '--uid', '5e6f']],
  ['no namespace', ['--namespace', '', '--name', 'vm', '--uid', '5e6f']],
])('arguments that hold %s claim nothing', (_, each) => {
  expect(claimOf(each)).toBeUndefined()
})

let pods: string
let sockets: string
const children: ChildProcess[] = []

beforeEach(async () => {
  pods = await mkdtemp(join(tmpdir(), 'pods-'))
  sockets = join(pods, 'p1/volumes/kubernetes.io~empty-dir/sockets')
  await mkdir(sockets, { recursive: true })
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await rm(pods, { recursive: true })
})

const listen = `
  require('node:net').createServer(() => undefined).listen(process.env.SOCKET, () => console.log('up'))`

async function started(program: string, argv: readonly string[], socket: string): Promise<void> {
  const child = spawn(process.execPath, ['-e', program, '--', ...argv], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { SOCKET: socket },
  })
  children.push(child)
  await once(child.stdout, 'data')
}

test('whoever listens on the socket of a pod is asked for its arguments', async () => {
  await started(listen, words, join(sockets, 'launcher-sock'))

  expect(await claimedGuest(pods, 'p1')).toEqual(guest)
})

test('a launcher that shows only its name has the arguments of its monitor', async () => {
  // The child ends with its parent, by the end of its input.
  const child = `process.title = 'virt-launcher'; process.stdin.resume().on('end', () => process.exit());${listen}`
  const monitor = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['pipe', 'inherit', 'inherit'] })`
  await started(monitor, words, join(sockets, 'launcher-sock'))

  expect(await claimedGuest(pods, 'p1')).toEqual(guest)
})

test('a link in the place of the socket is not followed', async () => {
  await started(listen, words, join(pods, 'elsewhere'))
  await symlink(join(pods, 'elsewhere'), join(sockets, 'launcher-sock'))

  await expect(claimedGuest(pods, 'p1')).rejects.toMatchObject({ code: 'ELOOP' })
})

test('a pod that is gone claims nothing', async () => {
  expect(await claimedGuest(pods, 'p2')).toBeUndefined()
})
