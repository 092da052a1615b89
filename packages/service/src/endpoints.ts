import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { keepServerCertificate, tlsOptionsFor, type CertificateSource } from './certificates.ts'
import { VirtError } from './error.ts'
import type { Logger } from './log.ts'
import type { Registry } from './metrics.ts'

export interface RouteReply {
  readonly status: number
  readonly body: string | Buffer
  readonly contentType?: string
}

export type RouteHandler = (request: IncomingMessage) => Promise<RouteReply> | RouteReply

export interface EndpointOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** With it https is spoken, else http. */
  readonly certificate?: CertificateSource
  readonly log: Logger
  /** Served under `/metrics`. */
  readonly metrics?: Registry
  /** By path; `/healthz` answers ok unless given. */
  readonly routes?: Readonly<Record<string, RouteHandler>>
}

export interface Endpoints {
  readonly port: number
  /** Lets running answers finish, at most 5 s. */
  close(): Promise<void>
}

const closeTimeoutMs = 5_000

/** A small server for health, metrics and a few more paths. Rejects with reason `ListenFailed` when it cannot listen. */
export async function serveEndpoints(options: EndpointOptions): Promise<Endpoints> {
  const routes = routesOf(options)
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void answer(request, response, routes, options.log)
  const { certificate } = options
  const server =
    certificate === undefined
      ? // An `import` of node:http would read all its exports, among them a WebSocket that costs 5 MiB.
        process.getBuiltinModule('node:http').createServer(onRequest)
      : https.createServer({ ...tlsOptionsFor(certificate) }, onRequest)
  const release = certificate === undefined ? undefined : keepServerCertificate(server as https.Server, certificate)
  const port = await listen(server, options)
  return {
    port,
    close: async () => {
      release?.()
      await closeServer(server)
    },
  }
}

function routesOf({ metrics, routes = {} }: EndpointOptions): Readonly<Record<string, RouteHandler>> {
  return {
    '/healthz': () => ({ status: 200, body: 'ok' }),
    ...(metrics === undefined
      ? {}
      : {
          '/metrics': async () => ({ status: 200, body: await metrics.metrics(), contentType: metrics.contentType }),
        }),
    ...routes,
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: Readonly<Record<string, RouteHandler>>,
  log: Logger,
): Promise<void> {
  const reply = await replyTo(request, routes, log)
  // Whoever sent a body is not waited for.
  request.resume()
  response.writeHead(reply.status, { 'content-type': reply.contentType ?? 'text/plain; charset=utf-8' })
  response.end(request.method === 'HEAD' ? undefined : reply.body)
}

async function replyTo(
  request: IncomingMessage,
  routes: Readonly<Record<string, RouteHandler>>,
  log: Logger,
): Promise<RouteReply> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
  const handler = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (handler === undefined) return { status: 404, body: `no such path; there are ${Object.keys(routes).join(', ')}\n` }
  try {
    return await handler(request)
  } catch (error) {
    log.error({ error, path }, 'request failed')
    return { status: 500, body: `${(error as Error).message}\n` }
  }
}

async function listen(server: HttpServer | https.Server, { host, port }: EndpointOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.once('error', (cause: NodeJS.ErrnoException) => {
    const remedy =
      cause.code === 'EADDRINUSE' ? 'stop the other process or choose another --port' : 'check host and port'
    reject(new VirtError('ListenFailed', `cannot listen on ${host}:${port} (${cause.code}): ${remedy}`, { cause }))
  })
  server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  return promise
}

async function closeServer(server: HttpServer | https.Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs)
  await promise
  clearTimeout(timer)
}
