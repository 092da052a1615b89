import { once } from 'node:events'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { appUnderTest } from './app-under-test.ts'

let app: Awaited<ReturnType<typeof appUnderTest>>
let socket: TLSSocket
let heard: string

beforeEach(async () => {
  app = await appUnderTest({})
  heard = ''
  socket = connect({ port: app.port, host: '127.0.0.1', rejectUnauthorized: false })
  socket.setNoDelay(true).on('data', (piece: Buffer) => (heard += piece.toString()))
  await once(socket, 'secureConnect')
})
afterEach(async () => {
  socket.destroy()
  await app.close()
})

const vmi = { metadata: { name: 'a' }, spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } }
const body = (uid: string, more: object = {}) =>
  JSON.stringify({ request: { uid, operation: 'CREATE', userInfo: {}, object: { ...vmi, ...more } } })
const request = (path: string, content: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: virt-api', `Content-Length: ${Buffer.byteLength(content)}`, ...headers].join(
    '\r\n',
  ) + `\r\n\r\n${content}`
const validate = '/virtualmachineinstances-validate-create?timeout=10s'

/** The ids of the reviews that were answered so far, once there are as many. */
async function answered(count: number): Promise<string[]> {
  const ids = () => [...heard.matchAll(/"response":\{"uid":"([^"]*)"/g)].map(([, uid = '']) => uid)
  while (ids().length < count) await once(socket, 'data')
  return ids()
}

/** Whether the server takes connections. */
async function isTaken(): Promise<boolean> {
  const other = connect({ port: app.port, host: '127.0.0.1', rejectUnauthorized: false })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  other.once('secureConnect', () => resolve(true)).once('error', () => resolve(false))
  const taken = await promise
  other.destroy()
  return taken
}

test('reviews on one connection are answered one after the other', async () => {
  socket.write(request(validate, body('first')))
  await answered(1)
  socket.write(request('/virtualmachines-validate', body('second')))
  expect(await answered(2)).toEqual(['first', 'second'])
  expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})

test('reviews that come at once are answered in their order', async () => {
  socket.write(request(validate, body('first')) + request(validate, body('second')) + request(validate, body('third')))
  expect(await answered(3)).toEqual(['first', 'second', 'third'])
})

test('a review that comes in pieces is answered when it is whole', async () => {
  const whole = Buffer.from(request(validate, body('pieces', { note: 'ä'.repeat(40_000) })))
  const middle = whole.length >> 1
  for (const piece of [whole.subarray(0, 300), whole.subarray(300, middle), whole.subarray(middle)]) {
    await new Promise<void>((resolve) => void socket.write(piece, () => resolve()))
  }
  expect(await answered(1)).toEqual(['pieces'])
})

test.each([
  ['a head in pieces', [request(validate, body('other')).slice(0, 20), request(validate, body('other')).slice(20)]],
  ['a word that is waited for', [request(validate, body('other'), 'Expect: 100-continue')]],
  ['names in another case', [request(validate, body('other')).replace('Content-Length', 'CONTENT-LENGTH')]],
  [
    'a body of unknown length',
    [
      `POST ${validate} HTTP/1.1\r\nHost: virt-api\r\nTransfer-Encoding: chunked\r\n\r\n`,
      `${Buffer.byteLength(body('other')).toString(16)}\r\n${body('other')}\r\n0\r\n\r\n`,
    ],
  ],
])('a review with %s is answered', async (_, pieces) => {
  for (const piece of pieces) await new Promise<void>((resolve) => void socket.write(piece, () => resolve()))
  expect(await answered(1)).toEqual(['other'])
})

test('what is no review is for the others, also after one and before one', async () => {
  socket.write(request(validate, body('before')))
  await answered(1)
  socket.write('GET /apis HTTP/1.1\r\nHost: virt-api\r\n\r\n')
  while (!heard.includes('APIGroupList')) await once(socket, 'data')
  socket.write(request(validate, body('after')))
  expect(await answered(2)).toEqual(['before', 'after'])
})

test('a review that is none, and one whose length is none, are refused with a Status', async () => {
  socket.write(request(validate, '{'))
  while (!heard.includes('"code":400')) await once(socket, 'data')
  expect(heard).toMatch(/^HTTP\/1\.1 400 Refused\r\n/)
  socket.write(`POST ${validate} HTTP/1.1\r\nHost: virt-api\r\nContent-Length: -1\r\n\r\n`)
  while (!heard.includes('the request is no HTTP')) await once(socket, 'data')
})

test('a connection that waits ends with the server', async () => {
  socket.write(request(validate, body('last')))
  await answered(1)
  const ended = once(socket, 'end')
  await app.stop()
  await ended
})

test('a review that is not yet whole is answered before the server ends', async () => {
  const whole = request(validate, body('last'))
  socket.write(request(validate, body('first')) + whole.slice(0, -1))
  await answered(1)
  const stopped = app.stop()
  while (await isTaken()) continue
  socket.write(whole.slice(-1))
  expect(await answered(2)).toEqual(['first', 'last'])
  expect(heard).toMatch(/Connection: close/)
  await stopped
})
