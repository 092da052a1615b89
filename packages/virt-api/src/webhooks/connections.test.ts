import { EventEmitter, once } from 'node:events'
import type { Server } from 'node:https'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { comeFirst } from './connections.ts'

/** A connection to a server whose reviews are answered with a kilobyte each, once `ready`. */
function connection(ready: Promise<void> = Promise.resolve()) {
  const server = new EventEmitter()
  const asked: string[] = []
  const answer = async (_: unknown, body: Buffer) => {
    asked.push(body.toString())
    await ready
    return { code: 200, text: JSON.stringify('x'.repeat(1000)) }
  }
  comeFirst(server as Server, answer)
  const [client, socket] = duplexPair()
  server.emit('secureConnection', Object.assign(socket, { setTimeout: () => socket }))
  return { client, asked, socket }
}

const review = (content: string) =>
  `POST /virtualmachines-validate HTTP/1.1\r\nContent-Length: ${content.length}\r\n\r\n${content}`

test('who sends reviews and reads no answer is not listened to until it does', async () => {
  const { client, asked } = connection()
  const sent = Array.from({ length: 2000 }, (_, index) => String(index))
  for (const content of sent) client.write(review(content))
  for (let before = -1; before !== asked.length;) {
    before = asked.length
    for (let turns = 0; turns < 50; turns++) await turn()
  }
  expect(asked.length).toBeLessThan(sent.length / 2)
  client.resume()
  while (asked.length < sent.length) await turn()
  expect(asked).toEqual(sent)
})

test('who ends its own side while it is judged still gets the answer', async () => {
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const { client, socket } = connection(ready)
  const ended = once(socket, 'end')
  client.end(review('last'))
  await ended
  resolve()
  expect(await text(client)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close/s)
})
