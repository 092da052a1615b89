import { expect, test } from '@jest/globals'
import { answerTo } from './server.ts'
import type { Lease } from './lease.ts'
import { messageType } from './packet.ts'

const lease: Lease = {
  address: '10.0.2.2',
  prefixLength: 24,
  server: '10.0.2.1',
  router: '10.0.2.1',
  dns: ['10.96.0.10'],
  mtu: 1450,
  hostname: 'vm',
  searchDomains: ['default.svc.cluster.local', 'cluster.local'],
}
const mac = '02:00:00:00:00:0a'

/** A client's message as RFC 2131 lays it out. */
function message(type: number, { from = mac, more = Buffer.alloc(0) } = {}): Buffer {
  const bytes = Buffer.alloc(240)
  bytes.set([1, 1, 6])
  bytes.writeUInt32BE(0xcafe, 4)
  bytes.writeUInt16BE(0x8000, 10)
  Buffer.from(from.replaceAll(':', ''), 'hex').copy(bytes, 28)
  bytes.writeUInt32BE(0x63825363, 236)
  return Buffer.concat([bytes, Buffer.from([53, 1, type]), more, Buffer.from([255])])
}

function optionsOf(reply: Buffer): Map<number, Buffer> {
  const options = new Map<number, Buffer>()
  for (let at = 240; reply[at] !== 255; at += 2 + reply[at + 1]!)
    options.set(reply[at]!, reply.subarray(at + 2, at + 2 + reply[at + 1]!))
  return options
}

test.each([
  ['a discover', 'an offer', messageType.discover, messageType.offer],
  ['a request', 'an acknowledgement', messageType.request, messageType.ack],
])('%s is answered by %s of the one address', (_, __, asked, answered) => {
  const reply = answerTo(message(asked), { lease, clientMac: mac })!

  expect(reply.readUInt8(0)).toBe(2)
  expect(reply.readUInt32BE(4)).toBe(0xcafe)
  expect(reply.subarray(16, 20)).toEqual(Buffer.from([10, 0, 2, 2]))
  expect(reply.subarray(28, 34).toString('hex')).toBe('02000000000a')
  expect(reply.length).toBeGreaterThanOrEqual(300)
  expect(optionsOf(reply).get(53)).toEqual(Buffer.from([answered]))
})

test('the answer says all that the guest needs', () => {
  const options = optionsOf(answerTo(message(messageType.request), { lease })!)

  expect(options.get(54)).toEqual(Buffer.from([10, 0, 2, 1]))
  expect(options.get(1)).toEqual(Buffer.from([255, 255, 255, 0]))
  expect(options.get(3)).toEqual(Buffer.from([10, 0, 2, 1]))
  expect(options.get(6)).toEqual(Buffer.from([10, 96, 0, 10]))
  expect(options.get(26)!.readUInt16BE()).toBe(1450)
  expect(options.get(51)!.readUInt32BE()).toBe(999 * 24 * 3600)
  expect(options.get(12)!.toString()).toBe('vm')
  expect(options.get(15)!.toString()).toBe('default.svc.cluster.local')
  expect(options.get(119)!.toString('latin1')).toBe(
    '\x07default\x03svc\x07cluster\x05local\x00\x07cluster\x05local\x00',
  )
})

test('options of the user are passed on', () => {
  const custom = { ...lease, ntpServers: ['10.0.0.9'], tftpServer: 't', bootFile: 'b', privateOptions: { 240: 'x' } }
  const options = optionsOf(answerTo(message(messageType.request), { lease: custom })!)

  expect([42, 66, 67, 240].map((code) => options.get(code)?.toString('latin1'))).toEqual([
    '\x0a\x00\x00\x09',
    't',
    'b',
    'x',
  ])
})

test.each([
  ['another client', message(messageType.discover, { from: '02:00:00:00:00:0b' })],
  ['a release', message(7)],
  ['an answer', Buffer.concat([Buffer.from([2]), message(messageType.discover).subarray(1)])],
  ['half a message', message(messageType.discover).subarray(0, 200)],
  ['no message type', Buffer.concat([message(messageType.discover).subarray(0, 240), Buffer.from([255])])],
  [
    'an option that runs over the end',
    Buffer.concat([message(messageType.discover).subarray(0, 240), Buffer.from([53, 200, 1])]),
  ],
  ['nothing', Buffer.alloc(0)],
])('%s gets no answer', (_, bytes) => {
  expect(answerTo(bytes, { lease, clientMac: mac })).toBeUndefined()
})

test('a client may write its address in either case', () => {
  expect(answerTo(message(messageType.discover), { lease, clientMac: mac.toUpperCase() })).toBeDefined()
})
