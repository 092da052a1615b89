import type { IncomingMessage } from 'node:http'
import { StatusError } from '../status-error.ts'

/** Bodies of subresources are small. */
const mostBytes = 3 * 1024 * 1024

/**
 * What is longer is read to its end and thrown away, before it is refused: a proxy that is still writing when the answer
 * comes tells its client of a broken connection instead. Up to this many bytes.
 */
const mostThrownAway = 64 * 1024 * 1024

/** All bytes of a body. Rejects with a 413 for one that is too long. */
export function rawBody(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const tooLong = () => reject(new StatusError(413, `Request body is too large: more than ${mostBytes} bytes`))
  let chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= mostBytes) chunks.push(chunk)
    else chunks = []
    if (length > mostThrownAway) tooLong()
  })
  request.once('end', () => (length <= mostBytes ? resolve(Buffer.concat(chunks)) : tooLong()))
  request.once('error', reject)
  return promise
}
