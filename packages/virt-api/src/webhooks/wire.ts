import type { Admitter } from './admitter.ts'
import { admitterOf, bodyLimit } from './serve.ts'
import type { Answer } from './serve.ts'

/** A review that has begun to arrive; the body is there when `end` bytes are. */
export interface Arriving {
  readonly admit: Admitter
  readonly start: number
  readonly end: number
}

/** Headers that say nothing about how to read a request. One that is not here may. */
const harmless = new Set(['host', 'user-agent', 'accept', 'accept-encoding', 'content-type', 'traceparent'])

/**
 * A request whose head is all there and no different from the API server's own, one with a body of a told length to an
 * admitter's path; undefined for any other.
 */
export function arriving(bytes: Buffer): Arriving | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [first = '', ...headers] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const [method, url = '', version, ...more] = first.split(' ')
  if (method !== 'POST' || version !== 'HTTP/1.1' || more.length > 0) return undefined
  const admit = admitterOf(url)
  const length = bodyLength(headers)
  if (!admit || length === undefined) return undefined
  const start = headEnd + 4
  return { admit, start, end: start + length }
}

function bodyLength(headers: readonly string[]): number | undefined {
  let length: number | undefined
  for (const header of headers) {
    const colon = header.indexOf(':')
    const name = header.slice(0, colon).toLowerCase()
    if (name === 'content-length' && length === undefined) length = lengthIn(header.slice(colon + 1).trim())
    else if (!harmless.has(name)) return undefined
  }
  return length
}

function lengthIn(text: string): number | undefined {
  const length = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
  return length <= bodyLimit ? length : undefined
}

/** The bytes of an answer. Node's own list of reasons would bring a megabyte of its HTTP along, which nothing uses. */
export const written = ({ code, text }: Answer, isLast: boolean): string => {
  const head = `HTTP/1.1 ${code} ${code === 200 ? 'OK' : 'Refused'}\r\nDate: ${new Date().toUTCString()}\r\n`
  const about = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
  return `${head}${about}${isLast ? 'Connection: close\r\n' : ''}\r\n${text}`
}
