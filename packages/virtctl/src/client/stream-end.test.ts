import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { WebSocket, WebSocketServer } from 'ws'
import { endOf, watchLife } from './stream-end.ts'

let server: WebSocketServer
/** What the other side does with a ping. */
let answers = true
beforeEach(async () => {
  answers = true
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  server.on('connection', (socket) => socket.on('ping', () => answers && socket.pong()))
  await once(server, 'listening')
})
afterEach(() => {
  for (const socket of server.clients) socket.terminate()
  server.close()
})

async function connected(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(socket, 'open')
  return socket
}

const quick = { everyMs: 10, unanswered: 10 }

test('a side that answered once and went silent is lost', async () => {
  const socket = await connected()
  const end = endOf(socket)
  watchLife(socket, quick)
  await once(socket, 'pong')
  answers = false
  expect(await end).toBe('lost')
})

test('a side that never answers pings is left alone', async () => {
  answers = false
  const socket = await connected()
  const end = endOf(socket)
  watchLife(socket, quick)
  const other = [...server.clients][0]!
  for (let pings = 0; pings < 30; pings++) await once(other, 'ping')
  other.close()
  expect(await end).toBe('closed')
})

test('a side that could not be heard while this process stood still is not lost', async () => {
  const socket = await connected()
  const end = endOf(socket)
  watchLife(socket, quick)
  await once(socket, 'pong')
  const wakes = Date.now() + 20 * quick.everyMs
  while (Date.now() < wakes) continue
  for (let pongs = 0; pongs < 3; pongs++) await once(socket, 'pong')
  socket.close()
  expect(await end).toBe('closed')
})
