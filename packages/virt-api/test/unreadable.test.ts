import { afterEach, expect, test } from '@jest/globals'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { answerUnreadable } from '../src/unreadable.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A server that answers what it can not read, and a client of it that has sent nothing yet. */
async function connected(onError: (error: Error, socket: Socket) => void): Promise<Socket> {
  server = createServer({ maxHeaderSize: 1000 }).on('clientError', (error, socket) => onError(error, socket as Socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(client, 'connect')
  return client
}

test('the answer arrives whole, also when the rest of the request comes before it is written', async () => {
  let failures = 0
  const before = 'x'.repeat(8 * 1024 * 1024)
  const client = await connected((error, socket) => {
    failures += 1
    // The client reads nothing yet, so that what is written after this waits in the process.
    if (failures === 1) socket.write(before)
    answerUnreadable(error, socket)
    if (failures === 1) client.write('more of it')
    else client.resume()
  })
  client.pause()
  client.write(`GET /${'a'.repeat(2000)}`)
  const answer = await text(client)
  client.destroy()
  expect(failures).toBeGreaterThan(1)
  expect(answer.slice(before.length)).toMatch(/^HTTP\/1.1 431 .*"code":431/s)
})

test('a client that does not hang up is left', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const client = await connected((error, socket) => {
    answerUnreadable(error, socket)
    socket.once('close', () => resolve())
  })
  client.write('no HTTP\r\n\r\n')
  expect(await text(client)).toMatch(/^HTTP\/1.1 400 /)
  expect(client.writable).toBe(true)
  await closed
  client.destroy()
})
