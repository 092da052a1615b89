import { expect, test } from '@jest/globals'
import { ApiError, isExpired } from './api-error.ts'
import { readEvents, WatchError } from './watch-stream.ts'

async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}

async function eventsOf(stream: AsyncIterable<Buffer>): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of readEvents(stream, 'WATCH /x')) events.push(event)
  return events
}

const added = { type: 'ADDED', object: { metadata: { name: 'ä', resourceVersion: '1' } } }
const line = `${JSON.stringify(added)}\n`

test('events are found wherever the chunks are cut, even inside a letter', async () => {
  const bytes = Buffer.from(line + line)
  async function* single(): AsyncGenerator<Buffer> {
    for (const byte of bytes) yield Buffer.from([byte])
  }

  await expect(eventsOf(single())).resolves.toEqual([added, added])
  await expect(eventsOf(chunks(line + line))).resolves.toEqual([added, added])
})

test.each([
  ['is not JSON', '{"type":\n'],
  ['has no object', '{"type":"ADDED"}\n'],
  ['has the unknown type', '{"type":"RENAMED","object":{}}\n'],
  ['ended in the middle', '{"type":"ADDED"'],
])('a stream whose event %s is an error', async (words, text) => {
  const error = await eventsOf(chunks(line, text)).catch((caught: unknown) => caught)

  expect(error).toBeInstanceOf(WatchError)
  expect((error as Error).message).toContain(words)
})

test('a line without an end does not fill the memory', async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(1024 * 1024, 'a')
  }

  await expect(eventsOf(endless())).rejects.toThrow('is longer than')
})

test('an expired version is told apart from a failure inside the server', async () => {
  const event = (code: number) =>
    `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, message: 'm' } })}\n`

  const expired = await eventsOf(chunks(event(410))).catch((caught: unknown) => caught)
  const failed = await eventsOf(chunks(event(500))).catch((caught: unknown) => caught)

  expect(expired).toBeInstanceOf(ApiError)
  expect(isExpired(expired)).toBe(true)
  expect(failed).toBeInstanceOf(WatchError)
})
