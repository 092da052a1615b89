import { EventEmitter } from 'node:events'
import type { Server } from 'node:https'
import { duplexPair } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { comeFirst } from './connections.ts'

/** A connection to a server whose reviews are answered with a kilobyte each. */
function connection() {
  const server = new EventEmitter()
  const asked: string[] = []
  const answer = async (_: unknown, body: Buffer) => {
    asked.push(body.toString())
    return { code: 200, text: JSON.stringify('x'.repeat(1000)) }
  }
  comeFirst(server as Server, answer)
  const [client, socket] = duplexPair()
  server.emit('secureConnection', Object.assign(socket, { setTimeout: () => socket }))
  return { client, asked }
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
