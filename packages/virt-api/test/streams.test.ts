import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:https'
import type { Server } from 'node:https'
import { createServer as listenTcp } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { KubeObject } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { asUser } from './ask.ts'
import { kubevirtCa, pair } from './certificates.ts'

const vmi = (spec: object, phase: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'a', namespace: 'n' },
  spec: { domain: { devices: {} }, ...spec },
  status: { phase, nodeName: 'node-1' },
})
const handlerPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'virt-handler-x', namespace: 'kubevirt', labels: { 'kubevirt.io': 'virt-handler' } },
  spec: { nodeName: 'node-1' },
  status: { podIP: '127.0.0.1' },
}

const accepted = (key: string) =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

let handler: Server
let app: Awaited<ReturnType<typeof appUnderTest>>
let asked: string[]
/** What the guest's side does with a stream. */
let serve: (socket: Duplex) => void
/** The whole answer of a virt-handler that gives none. */
let refusal: string | undefined

async function begin(certificate: 'handler' | 'impostor', object: KubeObject): Promise<void> {
  const tls = { ...pair(certificate), ca: kubevirtCa, requestCert: true, rejectUnauthorized: true }
  handler = createServer({ ...tls, allowHalfOpen: true })
  handler.on('upgrade', (incoming, socket) => {
    asked.push(`${incoming.url} ${incoming.headers['sec-websocket-protocol']}`)
    if (refusal !== undefined) return void socket.end(refusal)
    const key = incoming.headers['sec-websocket-key']!
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted(key)}\r\n\r\n`,
    )
    serve(socket)
  })
  handler.listen(0, '127.0.0.1')
  await once(handler, 'listening')
  app = await appUnderTest({ objects: [object, handlerPod], handlerPort: (handler.address() as AddressInfo).port })
}

beforeEach(() => {
  asked = []
  serve = (socket) => socket.end()
  refusal = undefined
})
afterEach(async () => {
  await app.close()
  handler.closeAllConnections()
  handler.close()
})

interface Opened {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly socket?: Duplex
  readonly text: string
}

function open(path: string, resource = 'virtualmachineinstances'): Promise<Opened> {
  const { promise, resolve, reject } = Promise.withResolvers<Opened>()
  const outgoing = request({
    host: '127.0.0.1',
    port: app.port,
    path: `/apis/subresources.kubevirt.io/v1/namespaces/n/${resource}/${path}`,
    rejectUnauthorized: false,
    agent: false,
    ...pair('proxy'),
    headers: {
      ...asUser,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Protocol': 'plain.kubevirt.io',
    },
  })
  outgoing.once('upgrade', (answer, socket, head) => {
    socket.unshift(head)
    resolve({ status: 101, headers: answer.headers, socket, text: '' })
  })
  outgoing.once('response', (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('end', () =>
      resolve({ status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
    )
  })
  outgoing.once('error', reject)
  outgoing.end()
  return promise
}

async function readAll(socket: Duplex): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

test('bytes pass untouched both ways, and the end of one direction leaves the other open', async () => {
  serve = (socket) => {
    socket.write('welcome ')
    void readAll(socket).then((all) => socket.end(`got ${all.length}`))
  }
  await begin('handler', vmi({}, 'Running'))
  const { status, headers, socket } = await open('a/console')
  expect(status).toBe(101)
  expect(headers['sec-websocket-accept']).toBe(accepted('dGhlIHNhbXBsZSBub25jZQ=='))
  expect(headers['sec-websocket-protocol']).toBe('plain.kubevirt.io')
  socket!.end(Buffer.alloc(3_000_000, 7))
  expect((await readAll(socket!)).toString()).toBe('welcome got 3000000')
  expect(asked).toEqual(['/v1/namespaces/n/virtualmachineinstances/a/console plain.kubevirt.io'])
})

test('more than a client reads at once waits in virt-handler, and all of it arrives', async () => {
  const sent = Buffer.alloc(20 * 1024 * 1024)
  for (let at = 0; at < sent.length; at += 4) sent.writeUInt32LE(at, at)
  let isAllTaken = false
  serve = (socket) => socket.end(sent, () => (isAllTaken = true))
  await begin('handler', vmi({}, 'Running'))
  const { socket } = await open('a/console')
  const [first] = (await once(socket!, 'readable').then(() => [socket!.read(1) as Buffer])) as [Buffer]
  expect(isAllTaken).toBe(false)
  expect(Buffer.concat([first, await readAll(socket!)]).equals(sent)).toBe(true)
})

test.each([
  ['with its length', 'HTTP/1.1 503 No\r\nContent-Length: 7\r\n\r\nIn use.', 503, /In use/],
  ['until its end', 'HTTP/1.1 400 No\r\nConnection: close\r\n\r\nno console', 400, /no console/],
  ['that is none', 'hello\r\n\r\n', 500, /virt-handler answered 0/],
  ['of nothing', '', 500, /closed before an answer came/],
])('a refusal %s is told', async (_, text, status, message) => {
  refusal = text
  await begin('handler', vmi({}, 'Running'))
  expect(await open('a/console')).toMatchObject({ status, text: expect.stringMatching(message) })
})

test('the wish to keep a session reaches virt-handler', async () => {
  await begin('handler', vmi({}, 'Running'))
  const { socket } = await open('a/vnc?preserveSession=true')
  await readAll(socket!)
  expect(asked[0]).toMatch(/\/vnc\?preserveSession=true/)
})

test('a virt-handler that is somebody else gets no stream', async () => {
  await begin('impostor', vmi({}, 'Running'))
  expect(await open('a/console')).toMatchObject({
    status: 500,
    text: expect.stringMatching(/not kubevirt.io:system:node:virt-handler/),
  })
  expect(asked).toEqual([])
})

test.each([
  ['a guest that does not run', 'a/console', vmi({}, 'Scheduling'), 400, /VMI is not running/],
  ['a guest that failed', 'a/console', vmi({}, 'Failed'), 409, /VMI is in failed status/],
  [
    'a guest without a serial console',
    'a/console',
    vmi({ domain: { devices: { autoattachSerialConsole: false } } }, 'Running'),
    400,
    /No serial consoles are present/,
  ],
  [
    'a guest without graphics',
    'a/vnc',
    vmi({ domain: { devices: { autoattachGraphicsDevice: false } } }, 'Running'),
    400,
    /No graphics devices are present/,
  ],
  ['a guest that is not there', 'b/console', vmi({}, 'Running'), 404, /b\\" not found/],
  ['a stream that does not exist', 'a/telepathy', vmi({}, 'Running'), 404, /could not find/],
])('%s is refused before anything is dialled', async (_, path, object, status, message) => {
  await begin('handler', object)
  expect(await open(path)).toMatchObject({ status, text: expect.stringMatching(message) })
  expect(asked).toEqual([])
})

test('a forwarded port carries bytes in frames, from the guest’s address to the client', async () => {
  const guest = listenTcp((socket) => socket.end('220 hello'))
  guest.listen(0, '127.0.0.1')
  await once(guest, 'listening')
  const running = vmi({}, 'Running')
  await begin('handler', {
    ...running,
    status: { ...running.status, interfaces: [{ ipAddress: '127.0.0.1' }] },
  } as KubeObject)
  const { status, socket } = await open(`a/portforward/${(guest.address() as AddressInfo).port}`)
  expect(status).toBe(101)
  const [frame] = (await once(socket!, 'data')) as [Buffer]
  expect(frame.subarray(0, 11).toString('latin1')).toBe('\x82\x09220 hello')
  guest.close()
})

test.each([
  ['a guest without an address', 'a/portforward/80', 400, /no network interfaces are present/],
  ['a port out of range', 'a/portforward/70000', 404, /could not find/],
  ['a port nobody listens on', 'c/portforward/1', 500, /dialing VM/],
])('forwarding to %s is refused', async (_, path, code, message) => {
  const reachable = { ...vmi({}, 'Running'), metadata: { name: 'c', namespace: 'n' } }
  await begin(
    'handler',
    path.startsWith('c')
      ? ({ ...reachable, status: { ...reachable.status, interfaces: [{ ipAddress: '127.0.0.1' }] } } as KubeObject)
      : vmi({}, 'Running'),
  )
  expect(await open(path)).toMatchObject({ status: code, text: expect.stringMatching(message) })
})
