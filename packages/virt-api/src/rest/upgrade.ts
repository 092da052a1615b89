import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Gauge } from '@kubevirt-ts/service'
import type { Authorize } from '../authz/authorizer.ts'
import { asStatusError } from '../error-reply.ts'
import { StatusError } from '../status-error.ts'
import type { RestParts } from './parts.ts'
import { streams } from './streams.ts'
import { fetchVmi } from './subjects.ts'
import { streamProtocol } from './virt-handler.ts'
import type { HandlerStream } from './virt-handler.ts'

export interface StreamParts extends RestParts {
  readonly authorize: Authorize
  /** Open streams by subresource; labels namespace and vmi. */
  readonly active: Readonly<Record<string, Gauge>>
}

const streamPath =
  /^\/apis\/subresources\.kubevirt\.io\/(?:v1|v1alpha3)\/namespaces\/([^/]+)\/virtualmachineinstances\/([^/]+)\/(.+)$/

/** Serves console and VNC on `server`. The answer ends all open streams. */
export function serveStreams(server: Server, parts: StreamParts): () => void {
  const open = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    serve(request, client, head, parts, open).catch((error: unknown) => refuse(client, asStatusError(error, parts.log)))
  })
  return () => open.forEach((client) => client.destroy())
}

/** Validate, dial, upgrade: the client only learns of a stream that is there. */
async function serve(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  parts: StreamParts,
  open: Set<Duplex>,
): Promise<void> {
  const verdict = await parts.authorize(request)
  if (verdict) return answer(client, verdict.status, 'text/plain', verdict.reason)
  const url = new URL(request.url ?? '/', 'https://virt-api')
  const [, namespace, name, subresource = ''] = streamPath.exec(url.pathname) ?? []
  const check = streams[subresource]
  if (!namespace || !name || !check) throw new StatusError(404, 'the server could not find the requested resource')
  const key = webSocketKey(request)
  const target = { namespace, name }
  const vmi = await fetchVmi(parts.client, target)
  check(vmi)
  const stream = await parts.virtHandler.stream(vmi, subresource, url.search, key)
  if (client.destroyed) return void stream.socket.destroy()
  accept(request, client, stream)
  const gauge = parts.active[subresource]
  const labels = { namespace, vmi: name }
  gauge?.inc(labels)
  open.add(client)
  parts.log.info({ ...target, subresource }, 'stream opened')
  join(client, head, stream, () => {
    gauge?.dec(labels)
    open.delete(client)
    parts.log.info({ ...target, subresource }, 'stream closed')
  })
}

function webSocketKey({ headers }: IncomingMessage): string {
  const key = headers['sec-websocket-key']
  if (headers.upgrade?.toLowerCase() === 'websocket' && key) return key
  throw new StatusError(400, 'Bad Request: a stream needs a WebSocket upgrade')
}

/** virt-handler answered the client's own key, so its answer is the client's. */
function accept(request: IncomingMessage, client: Duplex, stream: HandlerStream): void {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim())
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${stream.accept}`,
    ...(offered.includes(streamProtocol) ? [`Sec-WebSocket-Protocol: ${streamProtocol}`] : []),
  ]
  client.write(`${lines.join('\r\n')}\r\n\r\n`)
}

/** Copies raw bytes both ways, each with the other's speed; the end of one direction leaves the other open. */
function join(client: Duplex, head: Buffer, { socket, head: first }: HandlerStream, closed: () => void): void {
  if (first.length > 0) client.write(first)
  if (head.length > 0) socket.write(head)
  client.pipe(socket)
  socket.pipe(client)
  const breaks = (from: Duplex, to: Duplex) => {
    from.on('error', () => from.destroy())
    // Whoever goes without having said all takes the other along; after a proper end the rest is still sent.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy()
    })
  }
  breaks(client, socket)
  breaks(socket, client)
  client.once('close', closed)
}

function refuse(client: Duplex, error: StatusError): void {
  answer(client, error.code, 'application/json', JSON.stringify(error.toStatus()))
}

function answer(client: Duplex, status: number, contentType: string, body: string): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  client.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
