import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { Incoming } from './incoming.ts'

let server: Server
let incoming: Incoming
const viewers: Socket[] = []
const forever = new AbortController().signal

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1')
  incoming = new Incoming(server)
  await once(server, 'listening')
})
afterEach(() => {
  for (const viewer of viewers.splice(0)) viewer.destroy()
  server.close()
})

/** A viewer that is connected, and that the server has seen. */
async function viewer(): Promise<Socket> {
  const seen = once(server, 'connection')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  viewers.push(socket)
  await Promise.all([once(socket, 'connect'), seen])
  return socket
}

test('a viewer that came before it was asked for is greeted', async () => {
  const early = await viewer()
  const socket = await incoming.next(forever)
  socket.write('RFB')
  const [greeting] = (await once(early, 'data')) as [Buffer]
  expect(greeting.toString()).toBe('RFB')
})

test('of two that wait, the later one is taken', async () => {
  const first = await viewer()
  const second = await viewer()
  await once(first, 'close')
  ;(await incoming.next(forever)).write('RFB')
  expect(String((await once(second, 'data'))[0])).toBe('RFB')
})

test('one that comes beside another is sent away, and one that comes after it is taken', async () => {
  const asked = incoming.next(forever)
  await viewer()
  const current = await asked
  await once(await viewer(), 'close')
  current.destroy()
  await once(current, 'close')
  const later = await viewer()
  ;(await incoming.next(forever)).write('RFB')
  expect(String((await once(later, 'data'))[0])).toBe('RFB')
})

test('whoever gives up waiting gets the reason', async () => {
  const stop = new AbortController()
  const asked = incoming.next(stop.signal)
  stop.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
})
