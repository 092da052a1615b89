import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { migrationSocket } from '@kubevirt-ts/handler-launcher-com'
import { type CertificateSource, selfSigned, staticCertificate } from '@kubevirt-ts/service'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Encryption } from '../src/migration/proxy/encryption.ts'
import { openSourceProxy, type SourceProxy } from '../src/migration/proxy/source-proxy.ts'
import { openTargetProxy, type TargetProxy } from '../src/migration/proxy/target-proxy.ts'

const uid = 'uid-1'
const agents = selfSigned('kubevirt.io:system:client:migration')
const stranger = selfSigned('kubevirt.io:system:client:vsock')

let folder: string
const closers: (() => void)[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'migration-'))
  for (const pod of ['source', 'target']) {
    mkdirSync(volume(pod, 'public/migrationproxy'), { recursive: true })
    mkdirSync(volume(pod, 'libvirt-runtime'), { recursive: true })
  }
})

afterEach(() => {
  for (const close of closers.splice(0).toReversed()) close()
  rmSync(folder, { recursive: true })
})

const volume = (pod: string, name: string): string => join(folder, pod, 'volumes/kubernetes.io~empty-dir', name)

const trusting = (own: { cert: string; key: string }): CertificateSource =>
  staticCertificate({ ...own, ca: `${agents.cert}\n${stranger.cert}` })

const encryptionOf = (own: { cert: string; key: string }): Encryption => ({
  certificate: trusting(own),
  roles: ['virt-handler', 'migration'],
  externallyManaged: false,
})

/** What the target pod does with a conversation: it answers with the hash of all it heard. */
async function serveInTarget(path: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const hash = createHash('sha256')
    socket.on('data', (chunk) => {
      hash.update(chunk)
      if (chunk.at(-1) === 0x0a) socket.write(hash.copy().digest('hex'))
    })
    socket.on('error', () => undefined)
  })
  server.listen(path)
  await once(server, 'listening')
  closers.push(() => server.close())
  return server
}

async function targetProxy(encryption: Encryption | undefined, conversations = [0, 49152]): Promise<TargetProxy> {
  const proxy = await openTargetProxy({
    host: '127.0.0.1',
    podsFolder: folder,
    podUid: 'target',
    uid,
    conversations,
    encryption,
    log: silentLog(),
  })
  closers.push(() => proxy.close())
  return proxy
}

async function sourceProxy(ports: TargetProxy['ports'], encryption: Encryption | undefined): Promise<SourceProxy> {
  const proxy = await openSourceProxy({
    podsFolder: folder,
    podUid: 'source',
    uid,
    targetAddress: '127.0.0.1',
    targetPorts: ports,
    encryption,
    log: silentLog(),
  })
  closers.push(() => proxy.close())
  return proxy
}

async function dialInSource(port: number): Promise<Socket> {
  const socket = connect(join(volume('source', 'public/migrationproxy'), migrationSocket(uid, port)))
  await once(socket, 'connect')
  closers.push(() => socket.destroy())
  return socket
}

/** Sends through the proxies; answers what came back, or nothing when the conversation was ended. */
async function converse(port: number, message: Buffer): Promise<string | undefined> {
  const socket = await dialInSource(port)
  const answered = Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [])])
  socket.write(message)
  // A conversation that is refused ends with an error or without one.
  const [answer] = (await answered.catch(() => [])) as [Buffer?]
  return answer?.toString()
}

const disks = 49153
const targetFiles = {
  0: ['libvirt-runtime', 'libvirt-sock'],
  49152: ['public/migrationproxy', migrationSocket(uid, 49152)],
  49153: ['public/migrationproxy', migrationSocket(uid, 49153)],
} as const

test.each([
  ['encrypted', encryptionOf(agents)],
  ['plain, where that is configured', undefined],
])('libvirt, memory and disks each reach their socket in the target pod, %s', async (_, encryption) => {
  for (const [place, name] of Object.values(targetFiles)) await serveInTarget(join(volume('target', place), name))
  const target = await targetProxy(encryption, [0, 49152, 49153])
  expect(new Set(Object.values(target.ports))).toEqual(new Set([0, 49152, 49153]))
  await sourceProxy(target.ports, encryption)
  // More than any buffer on the way holds, and one line.
  const message = Buffer.from(`${randomBytes(600_000).toString('hex')}\n`)

  for (const port of [0, 49152, disks])
    expect(await converse(port, message)).toBe(createHash('sha256').update(message).digest('hex'))
})

test.each([
  ['the target takes in no stranger', agents, stranger],
  ['the source talks to no stranger', stranger, agents],
])('%s', async (_, target, source) => {
  await serveInTarget(join(volume('target', 'libvirt-runtime'), 'libvirt-sock'))
  const proxy = await targetProxy(encryptionOf(target))
  await sourceProxy(proxy.ports, encryptionOf(source))

  expect(await converse(0, Buffer.from('hello\n'))).toBeUndefined()
})

test('an unencrypted caller does not get past an encrypted door', async () => {
  await serveInTarget(join(volume('target', 'libvirt-runtime'), 'libvirt-sock'))
  const proxy = await targetProxy(encryptionOf(agents))
  await sourceProxy(proxy.ports, undefined)

  expect(await converse(0, Buffer.from('hello\n'))).toBeUndefined()
})

test('after the migration nobody gets in, and nothing is left in the pod', async () => {
  const target = await targetProxy(encryptionOf(agents))
  const source = await sourceProxy(target.ports, encryptionOf(agents))
  const [port] = Object.keys(target.ports)

  target.close()
  source.close()

  const caller = connect(Number(port), '127.0.0.1')
  const [error] = (await once(caller, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
  expect(readdirSync(volume('source', 'public/migrationproxy'))).toEqual([])
})
