import type { Socket } from 'node:net'
import { StatusError } from './status-error.ts'

interface ParseError extends Error {
  readonly code?: string
}

const refusals: Readonly<Record<string, readonly [status: number, line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'the address or the headers of the request are too long',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request did not come to its end in time'],
}
const otherwise = [400, 'Bad Request', 'the request is no HTTP'] as const

/** Milliseconds for a client to take the answer and to hang up, whatever it goes on to send. */
const lingerMs = 2000

/**
 * Tells a client of a request that HTTP's parser gave up on, and hangs up. The parser fails again at each further piece
 * of that request: closing then would cut off the answer that is on its way, so the pieces are only taken.
 */
export function answerUnreadable({ code = '' }: ParseError, socket: Socket): void {
  if (socket.writableEnded && code !== 'ECONNRESET') return
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, line, message] = refusals[code] ?? otherwise
  const body = JSON.stringify(new StatusError(status, message).toStatus())
  const head = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  socket.end(`HTTP/1.1 ${status} ${line}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  const linger = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(linger))
}
