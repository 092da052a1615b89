import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'

/** What goes wrong between a controller and the API server; all of it may change at any time. */
export interface Faults {
  /** Share of writes that are answered with a conflict instead of being done. */
  conflicts: number
  /** Milliseconds for which watches hold events back. */
  staleMs: number
  /** Milliseconds after which a watch is closed; 0 leaves it open. */
  watchMs: number
  /** Share of watches that are told that their version is too old. */
  expired: number
  /** Each event comes twice. */
  duplicated: boolean
  /** Nothing is answered at all. */
  down: boolean
}

export const noFaults: Faults = { conflicts: 0, staleMs: 0, watchMs: 0, expired: 0, duplicated: false, down: false }

export interface FaultyProxy extends AsyncDisposable {
  readonly url: string
  readonly faults: Faults
  /** Requests that arrived, answered or not. */
  readonly requests: ProxiedRequest[]
}

export interface ProxiedRequest {
  readonly at: number
  readonly method: string
  readonly path: string
  /** What the API server answered. */
  code?: number
}

/** Stands between one controller and the API server. `random` is in [0, 1). */
export async function startProxy(
  target: { readonly server: string; readonly token: string },
  random: () => number,
): Promise<FaultyProxy> {
  const faults: Faults = { ...noFaults }
  const requests: FaultyProxy['requests'] = []
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 200 })
  const upstream = { ...target, agent, faults, random }
  const server = createServer((incoming, response) => {
    const request: ProxiedRequest = { at: Date.now(), method: incoming.method ?? '', path: incoming.url ?? '' }
    requests.push(request)
    response.once('finish', () => (request.code = response.statusCode))
    handle(incoming, response, upstream)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      agent.destroy()
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}

interface Upstream {
  readonly server: string
  readonly token: string
  readonly agent: Agent
  readonly faults: Faults
  readonly random: () => number
}

function handle(incoming: IncomingMessage, response: ServerResponse, upstream: Upstream): void {
  const { faults, random } = upstream
  const url = incoming.url ?? ''
  const isWatch = url.includes('watch=true')
  const isLease = url.includes('/leases')
  if (faults.down) return void incoming.socket.destroy()
  if (incoming.method !== 'GET' && !isLease && random() < faults.conflicts) {
    incoming.resume()
    return refuse(
      response,
      409,
      'Conflict',
      'the object has been modified; please apply your changes to the latest version',
    )
  }
  if (isWatch && random() < faults.expired) return refuse(response, 410, 'Expired', 'too old resource version')
  forward(incoming, response, isWatch, upstream)
}

function refuse(response: ServerResponse, code: number, reason: string, message: string): void {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }))
}

function forward(incoming: IncomingMessage, response: ServerResponse, isWatch: boolean, upstream: Upstream): void {
  const { server, token, agent } = upstream
  const { host: _host, connection: _connection, ...headers } = incoming.headers
  const outgoing = request(
    new URL(incoming.url ?? '/', server),
    { method: incoming.method, headers: { ...headers, authorization: `Bearer ${token}` }, agent },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      if (isWatch && answer.statusCode === 200) passEvents(answer, response, upstream.faults)
      else answer.pipe(response)
    },
  )
  outgoing.on('error', () => response.destroy())
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}

function passEvents(answer: IncomingMessage, response: ServerResponse, faults: Faults): void {
  response.flushHeaders()
  const write = (line: string): void => {
    if (!response.writable) return
    response.write(`${line}\n`)
    if (faults.duplicated) response.write(`${line}\n`)
  }
  let rest = ''
  answer.setEncoding('utf8')
  answer.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (faults.staleMs === 0) write(line)
      else setTimeout(() => write(line), faults.staleMs)
    }
  })
  answer.on('end', () => setTimeout(() => response.end(), faults.staleMs))
  answer.on('error', () => response.destroy())
  if (faults.watchMs > 0) setTimeout(() => response.destroy(), faults.watchMs)
}
