import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Gauge } from '@kubevirt-ts/service'
import type { Authorize } from '../authz/authorizer.ts'
import { asStatusError } from '../error-reply.ts'
import { StatusError } from '../status-error.ts'
import { handlerStream } from './handler-stream.ts'
import type { RestParts, Target } from './parts.ts'
import { forward, forwardAddress, parseForward } from './portforward.ts'
import { streams } from './streams.ts'

export interface StreamParts extends RestParts {
  readonly authorize: Authorize
  /** Open streams by kind: console, vnc, portforward. */
  readonly active: Readonly<Record<string, Gauge>>
}

const streamPath =
  /^\/apis\/subresources\.kubevirt\.io\/(?:v1|v1alpha3)\/namespaces\/([^/]+)\/(virtualmachines|virtualmachineinstances)\/([^/]+)\/(.+)$/

/** Serves streams on `server`. The answer ends all that are open. */
export function serveStreams(server: Server, parts: StreamParts): () => void {
  const open = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    serve(request, client, head, parts, open).catch((error: unknown) => refuse(client, asStatusError(error, parts.log)))
  })
  return () => open.forEach((client) => client.destroy())
}

async function serve(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  parts: StreamParts,
  open: Set<Duplex>,
): Promise<void> {
  const verdict = await parts.authorize(request)
  if (verdict) return answer(client, verdict.status, 'text/plain', verdict.reason)
  const { pathname } = new URL(request.url ?? '/', 'https://virt-api')
  const [, namespace = '', resource = '', name = '', subresource = ''] = streamPath.exec(pathname) ?? []
  const target = { namespace, name }
  const asked = parseForward(resource, target, subresource)
  const isStream = resource === 'virtualmachineinstances' && Object.hasOwn(streams, subresource)
  if (!asked && !isStream) throw new StatusError(404, 'the server could not find the requested resource')
  needWebSocket(request)
  const opened = () => track(parts, client, target, asked ? 'portforward' : subresource, open)
  if (!asked) return handlerStream(request, client, head, parts, target, subresource, opened)
  return forward(request, client, head, await forwardAddress(parts, asked), asked, opened)
}

function needWebSocket({ headers }: IncomingMessage): void {
  if (headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-key']) return
  throw new StatusError(400, 'Bad Request: a stream needs a WebSocket upgrade')
}

/** Counts a stream; the answer is called when it ends. */
function track({ active, log }: StreamParts, client: Duplex, target: Target, kind: string, open: Set<Duplex>) {
  const { namespace, name } = target
  const labels = kind === 'portforward' ? { namespace, name } : { namespace, vmi: name }
  active[kind]?.inc(labels)
  open.add(client)
  log.info({ ...target, kind }, 'stream opened')
  return () => {
    active[kind]?.dec(labels)
    open.delete(client)
    log.info({ ...target, kind }, 'stream closed')
  }
}

// An `import` of node:http would read all its exports, among them a WebSocket that costs 5 MiB.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

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
