import { expect, test } from '@jest/globals'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { consoles, ended, file, open, opened, path, stranger, tls, virtApi, vsock } from './consoles-under-test.ts'

/** Connects virt-handler to the guest's service, once: which it asked for, virt-handler's end and the guest's. */
function nextService(): Promise<{ asked: string; ours: Duplex; guest: Duplex }> {
  return new Promise((resolve) => {
    vsock.dial = async (cid, port) => {
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
  vsock.dial = async () => {
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
  vsock.shown = undefined
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
