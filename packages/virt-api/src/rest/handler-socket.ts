import { connect } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'

/** The first lines of an answer, with the names of its headers in small letters. */
export interface Head {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
}

export interface UpgradedSocket {
  readonly socket: TLSSocket
  readonly head: Head
  /**
   * Reads on: what came with the head first. `sink` gets bytes that are overwritten when it returns, and answers whether
   * more may come; when not, `socket.resume()` goes on.
   */
  readonly read: (sink: (bytes: Buffer) => boolean) => void
}

export type Answer = UpgradedSocket | { readonly head: Head; readonly body: Buffer }

/** The longest record of TLS. */
const recordBytes = 16 * 1024
/** A head or a refusal that is longer is no answer of virt-handler. */
const mostBytes = 64 * 1024

/**
 * Asks for an upgrade, and reads what comes into one buffer over and over, which streams of Node's HTTP client do not:
 * they make an object and a buffer for every 16 KiB. Rejects when the other side is not there, is somebody else, or says
 * nothing within the time.
 */
export function askUpgrade(options: ConnectionOptions, request: string, timeoutMs: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  let collected = Buffer.alloc(0)
  let sink: ((bytes: Buffer) => boolean) | undefined
  let refused: Head | undefined

  const onBytes = (bytes: Buffer): boolean => {
    if (sink) return sink(bytes)
    if (collected.length > mostBytes) return fail(new Error('the answer is too long'))
    collected = Buffer.concat([collected, bytes])
    const head = refused ?? headOf(collected)
    if (head === undefined) return true
    if (head.status === 101) return upgraded(head)
    refused = head
    const { body, complete } = bodyOf(head, collected)
    if (complete) finish(head, body)
    return true
  }
  const socket = connect({
    ...options,
    // The guest's side may end first and still be written to.
    allowHalfOpen: true,
    onread: {
      buffer: Buffer.allocUnsafe(recordBytes),
      callback: (length: number, buffer: Buffer) => onBytes(buffer.subarray(0, length) as Buffer),
    },
  } as ConnectionOptions)
  const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)

  function fail(error: Error): false {
    clearTimeout(timer)
    socket.destroy()
    reject(error)
    return false
  }
  function finish(head: Head, body: Buffer): void {
    clearTimeout(timer)
    socket.destroy()
    resolve({ head, body })
  }
  function upgraded(head: Head): false {
    clearTimeout(timer)
    const rest = collected.subarray(endOfHead(collected))
    socket.setNoDelay(true)
    resolve({
      socket,
      head,
      read(next) {
        sink = next
        if (rest.length === 0 || next(rest)) socket.resume()
      },
    })
    return false
  }
  socket.once('secureConnect', () => socket.write(request))
  socket.on('error', (error) => fail(error))
  socket.once('end', () => {
    if (refused) finish(refused, bodyOf(refused, collected).body)
    else if (!sink) fail(new Error('the connection was closed before an answer came'))
  })
  return promise
}

const separator = '\r\n\r\n'

const endOfHead = (bytes: Buffer): number => bytes.indexOf(separator) + separator.length

/** Undefined while the head is not complete. Whatever is no HTTP gets status 0. */
function headOf(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(separator)
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0), headers: new Map(headers) }
}

function bodyOf({ headers }: Head, bytes: Buffer): { readonly body: Buffer; readonly complete: boolean } {
  const body = bytes.subarray(endOfHead(bytes))
  const length = Number(headers.get('content-length') ?? NaN)
  return Number.isNaN(length)
    ? { body, complete: false }
    : { body: body.subarray(0, length), complete: body.length >= length }
}
