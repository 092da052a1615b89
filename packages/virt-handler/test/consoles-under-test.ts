import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { listerOf, silentLog } from '@kubevirt-ts/controller/testing'
import { type CmdClient, createCmdClient } from '@kubevirt-ts/handler-launcher-com'
import { type FakeLauncher, startFakeLauncher } from '@kubevirt-ts/handler-launcher-com/testing'
import { type Certificate, staticCertificate } from '@kubevirt-ts/service'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import type { DialVsock } from '../src/host/vsock.ts'
import type { Launcher } from '../src/launcher-clients/launcher-clients.ts'
import { type ConsoleServer, serveConsoles } from '../src/rest/console-server.ts'

const vmi: VirtualMachineInstance = {
  metadata: { namespace: 'default', name: 'vm', uid: 'uid-1' },
  spec: { domain: { devices: {} } },
  status: { phase: 'Running', VSOCKCID: 7 },
}

const withoutCid = { ...vmi, metadata: { ...vmi.metadata, name: 'without-cid' }, status: { phase: 'Running' } }

const keys = mkdtempSync(join(tmpdir(), 'console-keys-'))
export const file = (name: string): string => readFileSync(join(keys, name), 'utf8')

/** A leaf signed by the test's authority. */
function leaf(name: string, commonName: string): { cert: string; key: string } {
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: keys, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`]
  openssl('req', '-new', ...key, '-subj', `/CN=${commonName}`, '-out', `${name}.csr`)
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '1',
    '-out',
    `${name}.crt`,
  )
  return { cert: file(`${name}.crt`), key: file(`${name}.key`) }
}

export let virtApi: { cert: string; key: string }
export let stranger: { cert: string; key: string }
let server: { cert: string; key: string }
let vsockClient: { cert: string; key: string }

beforeAll(() => {
  const authority = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=authority', '-days', '1']
  execFileSync('openssl', [...authority, '-keyout', 'ca.key', '-out', 'ca.crt'], { cwd: keys, stdio: 'ignore' })
  writeFileSync(join(keys, 'empty'), '')
  server = leaf('server', 'kubevirt.io:system:node:virt-handler')
  virtApi = leaf('virt-api', 'kubevirt.io:system:client:virt-handler')
  vsockClient = leaf('vsock', 'kubevirt.io:system:client:vsock')
  stranger = leaf('stranger', 'kubevirt.io:system:client:migration')
})

afterAll(() => rmSync(keys, { recursive: true }))

/** How guests' services are dialled, and what they are shown. */
export const vsock: { dial?: DialVsock; shown?: Certificate | undefined } = {}

export let folder: string
let pods: string
export let devices: string
let console: Server
export let consoles: ConsoleServer
export let launcher: FakeLauncher
let cmd: CmdClient

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'))
  pods = join(folder, 'pods')
  devices = join(pods, 'pod-1/volumes/kubernetes.io~empty-dir/private/uid-1')
  await mkdir(devices, { recursive: true })
  // The guest repeats what is typed.
  console = createServer((socket) => void socket.pipe(socket).on('error', () => socket.destroy()))
  await new Promise<void>((resolve) => console.listen(join(devices, 'virt-serial0'), resolve))
  launcher = await startFakeLauncher(join(folder, 'launcher'), {
    getGuestInfo: async () => ({ response: undefined, guestInfoResponse: '{"hostname":"vm"}' }),
  })
  cmd = createCmdClient(join(folder, 'launcher'))
  vsock.shown = vsockClient
  consoles = await serveConsoles({
    host: '127.0.0.1',
    port: 0,
    certificate: staticCertificate({ ...server, ca: file('ca.crt') }),
    vmis: listerOf([vmi, withoutCid]),
    launchers: { get: () => ({ cmd }) as Launcher, podUid: () => 'pod-1' },
    podsFolder: pods,
    vsock: {
      dial: (cid, port) => vsock.dial!(cid, port),
      certificate: { ...staticCertificate(vsockClient), current: () => vsock.shown },
    },
    log: silentLog(),
  })
})

afterEach(async () => {
  await consoles.close()
  cmd.close()
  await launcher[Symbol.asyncDispose]()
  await new Promise((resolve) => console.close(resolve))
  await rm(folder, { recursive: true })
})

export const path = (subresource: string, name = 'vm'): string =>
  `/v1/namespaces/default/virtualmachineinstances/${name}/${subresource}`

export const tls = (client: { cert: string; key: string }) => ({
  ...client,
  ca: file('ca.crt'),
  checkServerIdentity: (() => undefined) as () => never,
})

export const open = (subresource: string, client: { cert: string; key: string } = virtApi, name = 'vm'): WebSocket =>
  new WebSocket(`wss://127.0.0.1:${consoles.port}${path(subresource, name)}`, ['plain.kubevirt.io'], tls(client))

export const opened = (webSocket: WebSocket): Promise<WebSocket> =>
  new Promise((resolve, reject) => webSocket.once('open', () => resolve(webSocket)).once('error', reject))

export const ended = (webSocket: WebSocket): Promise<void> =>
  new Promise((resolve) => void webSocket.on('error', () => undefined).once('close', () => resolve()))

export const closeCode = (webSocket: WebSocket): Promise<number> =>
  new Promise((resolve) => void webSocket.on('error', () => undefined).once('close', (code) => resolve(code)))

/** The answer to a plain request. */
export function call(method: string, where: string, client: { cert: string; key: string } = virtApi) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: consoles.port, path: where, method, agent: false, ...tls(client) }
    const sent = request(options, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode, body }))
    })
    sent.on('error', reject).end()
  })
}
