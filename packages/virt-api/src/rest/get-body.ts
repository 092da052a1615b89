import type { IncomingMessage } from 'node:http'
import { StatusError } from '../status-error.ts'

/** Options of a GET are small. */
const limit = 64 * 1024

/** The body of a GET, which the server leaves unread: clients of some subresources send options in it. */
export async function readStream(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > limit) throw new StatusError(413, `the body of a GET must not be longer than ${limit} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
