import type { Status } from '@kubevirt-ts/api'
import { ApiError } from './api-error.ts'
import type { WatchEvent } from './kube-client.ts'

/** A watch that cannot be trusted any further; whoever follows it has to list again. */
export class WatchError extends Error {
  readonly reason = 'BrokenWatch'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'WatchError'
  }
}

/** The API server takes no object beyond 3 MiB, so a longer line is not an event. */
const maxLineBytes = 16 * 1024 * 1024
const newline = 10

/** The events of a watch, a JSON object a line. */
export async function* readEvents<T>(
  stream: AsyncIterable<Buffer>,
  request: string,
): AsyncGenerator<WatchEvent<T>, void> {
  for await (const line of readLines(stream, request)) {
    if (line !== '') yield parseEvent<T>(line, request)
  }
}

async function* readLines(stream: AsyncIterable<Buffer>, request: string): AsyncGenerator<string, void> {
  // A line is put together once, when it is complete, so that a long one is not copied with every chunk.
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      pieces.push(chunk.subarray(start, end))
      yield (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)).toString()
      pieces = []
      bytes = 0
      start = end + 1
    }
    if (start === chunk.length) continue
    pieces.push(chunk.subarray(start))
    bytes += chunk.length - start
    if (bytes > maxLineBytes) throw new WatchError(`${request}: an event is longer than ${maxLineBytes} bytes`)
  }
  if (bytes > 0) throw new WatchError(`${request}: the stream ended in the middle of an event`)
}

function parseEvent<T>(line: string, request: string): WatchEvent<T> {
  const { type, object } = parseLine(line, request)
  if (typeof object !== 'object' || object === null) throw new WatchError(`${request}: an event has no object`)
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type, object: object as T }
    case 'ERROR':
      throw streamError(object as Status, request)
    default:
      throw new WatchError(`${request}: an event has the unknown type ${JSON.stringify(type)}`)
  }
}

/** 410 and other refusals keep their meaning; a failure inside the server says nothing about what was missed. */
function streamError(status: Status, request: string): Error {
  const error = new ApiError(status, { request })
  return error.code < 500 ? error : new WatchError(error.message, { cause: error })
}

function parseLine(line: string, request: string): { type?: unknown; object?: unknown } {
  try {
    const event: unknown = JSON.parse(line)
    return typeof event === 'object' && event !== null ? event : {}
  } catch (cause) {
    throw new WatchError(`${request}: an event is not JSON`, { cause })
  }
}
