import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { listerOf, silentLog } from '@kubevirt-ts/controller/testing'
import { type CmdClient, createCmdClient } from '@kubevirt-ts/handler-launcher-com'
import { type FakeLauncher, startFakeLauncher } from '@kubevirt-ts/handler-launcher-com/testing'
import { type Certificate, staticCertificate } from '@kubevirt-ts/service'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
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
const file = (name: string): string => readFileSync(join(keys, name), 'utf8')

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

let virtApi: { cert: string; key: string }
let stranger: { cert: string; key: string }
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

let folder: string
let pods: string
let devices: string
let console: Server
let consoles: ConsoleServer
let dialVsock: DialVsock
let vsockShown: Certificate | undefined
let launcher: FakeLauncher
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
  vsockShown = vsockClient
  consoles = await serveConsoles({
    host: '127.0.0.1',
    port: 0,
    certificate: staticCertificate({ ...server, ca: file('ca.crt') }),
    vmis: listerOf([vmi, withoutCid]),
    launchers: { get: () => ({ cmd }) as Launcher, podUid: () => 'pod-1' },
    podsFolder: pods,
    vsock: {
      dial: (cid, port) => dialVsock(cid, port),
      certificate: { ...staticCertificate(vsockClient), current: () => vsockShown },
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

const path = (subresource: string, name = 'vm'): string =>
  `/v1/namespaces/default/virtualmachineinstances/${name}/${subresource}`

const tls = (client: { cert: string; key: string }) => ({
  ...client,
  ca: file('ca.crt'),
  checkServerIdentity: (() => undefined) as () => never,
})

const open = (subresource: string, client: { cert: string; key: string } = virtApi, name = 'vm'): WebSocket =>
  new WebSocket(`wss://127.0.0.1:${consoles.port}${path(subresource, name)}`, ['plain.kubevirt.io'], tls(client))

const opened = (webSocket: WebSocket): Promise<WebSocket> =>
  new Promise((resolve, reject) => webSocket.once('open', () => resolve(webSocket)).once('error', reject))

const ended = (webSocket: WebSocket): Promise<void> =>
  new Promise((resolve) => void webSocket.on('error', () => undefined).once('close', () => resolve()))

const closeCode = (webSocket: WebSocket): Promise<number> =>
  new Promise((resolve) => void webSocket.on('error', () => undefined).once('close', (code) => resolve(code)))

/** The answer to a plain request. */
function call(method: string, where: string, client: { cert: string; key: string } = virtApi) {
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

test('what is typed reaches the guest and its answer comes back, all of it', async () => {
  const webSocket = await opened(open('console'))
  expect(webSocket.protocol).toBe('plain.kubevirt.io')
  const sent = Buffer.alloc(8 * 1024 * 1024, 'guest says so ')
  const received: Buffer[] = []
  const whole = new Promise<void>((resolve) => {
    let length = 0
    webSocket.on('message', (data: Buffer, isBinary) => {
      expect(isBinary).toBe(true)
      received.push(data)
      length += data.length
      if (length >= sent.length) resolve()
    })
  })

  for (let start = 0; start < sent.length; start += 65_536) webSocket.send(sent.subarray(start, start + 65_536))
  await whole

  expect(Buffer.concat(received).equals(sent)).toBe(true)
  webSocket.close()
}, 30_000)

test('a second console takes the place of the first', async () => {
  const first = await opened(open('console'))
  const firstEnded = closeCode(first)
  const second = await opened(open('console'))
  expect(await firstEnded).toBe(4001)

  const echo = new Promise<string>((resolve) => second.once('message', (data: Buffer) => resolve(data.toString())))
  second.send('still here')
  expect(await echo).toBe('still here')

  await expect(opened(open('console?preserveSession=true'))).rejects.toThrow('503')
  second.close()
})

test('the session ends with the guest', async () => {
  const webSocket = await opened(open('console'))
  const over = ended(webSocket)
  consoles.close().catch(() => undefined)
  await over
})

test('a socket that was swapped for a link leads nowhere', async () => {
  await rename(join(devices, 'virt-serial0'), join(folder, 'elsewhere'))
  await symlink(join(folder, 'elsewhere'), join(devices, 'virt-serial0'))

  await expect(opened(open('console'))).rejects.toThrow('500')
})

test('a guest without a screen says so', async () => {
  await expect(opened(open('vnc'))).rejects.toThrow('400')
})

test('a console that asks for it begins with the last screen', async () => {
  const log = join(devices, 'virt-serial0-log')
  await writeFile(log, `${'old line\n'.repeat(2000)}login: `)
  const webSocket = open('console?replay=true')
  const first = new Promise<string>((resolve) => webSocket.once('message', (data: Buffer) => resolve(data.toString())))
  await opened(webSocket)
  expect(await first).toBe(`${'old line\n'.repeat(23)}login: `)
  webSocket.close()

  await rm(log)
  await symlink('/etc/passwd', log)
  await expect(opened(open('console?replay=true'))).rejects.toThrow('500')
})

test('each USB stream takes a free slot, until none is left', async () => {
  const slots = await Promise.all(
    [0, 1, 2, 3].map(async (slot) => {
      const server = createServer((socket) => void socket.on('error', () => socket.destroy()).write(`slot ${slot}`))
      await new Promise<void>((resolve) => server.listen(join(devices, `virt-usbredir-${slot}`), resolve))
      return server
    }),
  )
  const greeting = (webSocket: WebSocket) =>
    new Promise<string>((resolve) => webSocket.once('message', (data: Buffer) => resolve(data.toString())))
  const streams: WebSocket[] = []
  for (const slot of slots.keys()) {
    streams.push(open('usbredir'))
    expect(await greeting(streams.at(-1)!)).toBe(`slot ${slot}`)
  }
  await expect(opened(open('usbredir'))).rejects.toThrow('503')
  const over = ended(streams[2]!)
  streams[2]!.close()
  await over
  streams[2] = open('usbredir')
  expect(await greeting(streams[2])).toBe('slot 2')
  for (const stream of streams) stream.terminate()
  for (const slot of slots) slot.close()
})

/** Connects virt-handler to the guest's service, once: which it asked for, virt-handler's end and the guest's. */
function nextService(): Promise<{ asked: string; ours: Duplex; guest: Duplex }> {
  return new Promise((resolve) => {
    dialVsock = async (cid, port) => {
      const [ours, guest] = duplexPair()
      resolve({ asked: `${cid}:${port}`, ours, guest })
      return ours
    }
  })
}

/** Whether or not the other side had ended. */
const gone = (stream: Duplex): Promise<void> => finished(stream).catch(() => undefined)

const refusedWith = (subresource: string, name = 'vm'): Promise<{ status: number | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    open(subresource, virtApi, name)
      .on('error', () => undefined)
      .once('open', () => reject(new Error('it was not refused')))
      .once('unexpected-response', (_, response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () => resolve({ status: response.statusCode, body }))
      })
  })

test('a service of the guest has several streams at once, each until its client or the guest ends it', async () => {
  const [firstService, first] = [nextService(), open('vsock?port=1024&tls=false')]
  const { asked, ours, guest } = await firstService
  await opened(first)
  const [secondService, second] = [nextService(), open('vsock?port=1024&tls=0')]
  const { guest: secondGuest } = await secondService
  await opened(second)
  expect(asked).toBe('7:1024')

  const answer = once(second, 'message')
  const over = ended(second)
  secondGuest.end('last words')
  expect(String((await answer)[0])).toBe('last words')
  await over

  const heard = text(guest)
  first.send('typed last')
  first.close()
  expect(await heard).toBe('typed last')
  await gone(ours)
})

test('over TLS the guest is shown the certificate for VSOCK, and may show any', async () => {
  const inGuest = createTlsServer({ ...stranger, ca: file('ca.crt'), requestCert: true, rejectUnauthorized: true })
  const secured = new Promise<TLSSocket>((resolve) => inGuest.once('secureConnection', resolve))
  const [service, webSocket] = [nextService(), open('vsock?port=4294967295')]
  inGuest.emit('connection', (await service).guest)
  const [socket] = await Promise.all([secured, opened(webSocket)])
  expect(socket.getPeerCertificate().subject.CN).toBe('kubevirt.io:system:client:vsock')

  const answer = once(webSocket, 'message')
  webSocket.send('typed')
  expect(String(await once(socket, 'data'))).toBe('typed')
  const over = ended(webSocket)
  socket.end('last words')
  expect(String((await answer)[0])).toBe('last words')
  await over
})

test('a request that becomes no WebSocket leaves no connection to the guest', async () => {
  const service = nextService()
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  const where = { host: '127.0.0.1', port: consoles.port, path: path('vsock?port=1&tls=false'), headers }
  const sent = request({ ...where, agent: false, ...tls(virtApi) }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.resume().statusCode).toBe(400)
  await gone((await service).ours)
})

test.each([
  ['vsock', 400, 'port must be a number from 1 to 4294967295, not ""'],
  ['vsock?port=0', 400, 'not "0"'],
  ['vsock?port=4294967296', 400, 'not "4294967296"'],
  ['vsock?port=1e3', 400, 'not "1e3"'],
  ['vsock?port=1&tls=maybe', 400, 'tls must be true or false, not "maybe"'],
  ['vsock?port=9', 500, 'dialing VSOCK: CID 7, port 9: nobody listens'],
])('%s is refused with %i', async (subresource, status, words) => {
  dialVsock = async () => {
    throw new Error('nobody listens')
  }
  expect(await refusedWith(subresource)).toEqual({ status, body: expect.stringContaining(words) })
})

test('a guest that takes nothing keeps nothing open when its client has gone', async () => {
  const [service, webSocket] = [nextService(), open('vsock?port=1&tls=false')]
  const { ours } = await service
  await opened(webSocket)
  const over = ended(webSocket)
  webSocket.send(Buffer.alloc(1024 * 1024))
  webSocket.terminate()
  await over
  await gone(ours)
})

test('nobody is dialled over TLS while there is no certificate to show', async () => {
  vsockShown = undefined
  expect(await refusedWith('vsock?port=1')).toEqual({
    status: 500,
    body: 'dialing VSOCK: CID 7, port 1: the certificate for VSOCK is not there yet',
  })
})

test('a guest without a CID says so', async () => {
  expect(await refusedWith('vsock?port=1', 'without-cid')).toEqual({
    status: 400,
    body: 'default/without-cid has no VSOCK CID',
  })
})

test('a guest that knows no TLS is named', async () => {
  const [service, refused] = [nextService(), refusedWith('vsock?port=22')]
  ;(await service).guest.end('SSH-2.0-guest')
  expect(await refused).toMatchObject({ status: 500, body: expect.stringContaining('dialing VSOCK: CID 7, port 22: ') })
})

test('a guest that says nothing while TLS is expected is not waited for long', async () => {
  const [service, refused] = [nextService(), refusedWith('vsock?port=22')]
  const { ours } = await service
  expect(await refused).toEqual({ status: 500, body: 'dialing VSOCK: CID 7, port 22: no TLS handshake within 3 s' })
  await gone(ours)
})

test('only virt-api gets in', async () => {
  await expect(opened(open('console', stranger))).rejects.toThrow('401')
  await expect(call('PUT', path('pause'), stranger)).resolves.toMatchObject({ status: 401 })
  await expect(call('PUT', path('pause'), { cert: '', key: '' })).rejects.toThrow()
  expect(launcher.calls).toEqual([])
})

test('calls reach the launcher', async () => {
  expect(await call('PUT', path('pause'))).toMatchObject({ status: 202 })
  expect(await call('PUT', path('softreboot'))).toMatchObject({ status: 202 })
  expect(await call('GET', path('guestosinfo'))).toEqual({ status: 200, body: '{"hostname":"vm"}' })
  expect(launcher.calls).toEqual(['pauseVirtualMachine', 'softRebootVirtualMachine', 'getGuestInfo'])
})

test.each([
  ['GET', path('pause'), 404],
  ['PUT', path('explode'), 404],
  ['PUT', path('pause', 'other'), 404],
  ['PUT', '/v1/namespaces/default/virtualmachineinstances/../pause', 404],
  ['GET', '/', 404],
])('%s %s is refused with %i', async (method, where, status) => {
  expect(await call(method, where)).toMatchObject({ status })
})
