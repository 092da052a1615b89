import type {
  Agent,
  ClientRequest as OutgoingRequest,
  ClientRequestArgs,
  IncomingMessage,
  RequestOptions,
} from 'node:http'
import https, { type AgentOptions } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type TLSSocket } from 'node:tls'
import type { ClusterConfig } from './config/cluster-config.ts'
import type { ClientRequest, ClientResponse, Query } from './kube-client.ts'

export interface TransportOptions {
  readonly userAgent: string
  /** For a whole answer; streams only wait this long for their first byte. */
  readonly timeoutMs: number
}

/** The API server closes connections that were idle for 90 s; giving them up earlier avoids writing into a closed one. */
const idleConnectionMs = 60_000
/** Bookmarks come about once a minute, so a longer silence on a watch means a dead connection. */
const silentStreamMs = 180_000
const maxRequests = 32

/**
 * HTTP/1.1 to one API server. A stream takes a connection that is there, such as the one of the list before it, and does
 * not count among those for requests.
 */
export class Transport {
  readonly config: ClusterConfig
  readonly host: string
  readonly #options: TransportOptions
  readonly #base: URL
  readonly #protocol: Protocol
  readonly #agent: Agent

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.config = config
    this.#options = options
    this.#base = new URL(config.server)
    this.host = this.#base.host
    this.#protocol = protocolOf(this.#base)
    const { Agent } = this.#protocol
    this.#agent = new Agent({
      ...agentTls(config.tls, this.#base),
      keepAlive: true,
      keepAliveMsecs: 15_000,
      maxSockets: maxRequests,
      timeout: idleConnectionMs,
    })
  }

  /**
   * The whole answer, whatever its status.
   * @param mayGo asked when a connection is ready to take the request, in the same breath: a throw keeps it from being
   * sent and is what this rejects with
   */
  async send(request: ClientRequest, mayGo?: () => void): Promise<ClientResponse> {
    const { timeoutMs } = this.#options
    const { outgoing, answered } = await this.#ask(request, mayGo)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      outgoing.destroy()
    }, timeoutMs)
    try {
      const answer = await answered
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: await bodyOf(answer) }
    } catch (error) {
      throw this.#unanswered(request, isLate ? new Error(`no answer within ${timeoutMs} ms`) : error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** The answer's head; the body is still to come. */
  async open(request: ClientRequest): Promise<IncomingMessage> {
    const { timeoutMs } = this.#options
    this.#agent.maxSockets += 1
    let timer: NodeJS.Timeout | undefined
    try {
      const { outgoing, answered } = await this.#ask(request)
      timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
      const answer = await answered
      endWhenSilent(answer)
      answer.once('close', () => (this.#agent.maxSockets -= 1))
      return answer
    } catch (error) {
      this.#agent.maxSockets -= 1
      throw this.#unanswered(request, error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** What a WebSocket to this server needs. */
  async upgradeTarget(path: string, query: Query = {}): Promise<{ url: string; options: ClientRequestArgs }> {
    const url = `${this.config.server.replace(/^http/, 'ws')}${path}${queryString(query)}`
    // A kubelet, which the API server hands some streams to, refuses to name a type for them.
    return { url, options: { ...this.config.tls, headers: await this.#headers({ accept: '*/*' }) } }
  }

  close(): void {
    this.#agent.destroy()
  }

  async #ask(request: ClientRequest, mayGo?: () => void): Promise<Asked> {
    const { body, contentType } = encode(request.body)
    const headers = await this.#headers({
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      ...request.headers,
    })
    const signal = request.signal === undefined ? {} : { signal: request.signal }
    const options = { ...this.#target(request), method: request.method, headers, agent: this.#agent, ...signal }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const outgoing = this.#protocol.request(options)
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
    if (mayGo === undefined) outgoing.end(body)
    else whenReady(outgoing, () => endIfAllowed(outgoing, body, mayGo))
    return { outgoing, answered: promise }
  }

  #target({ path, query }: ClientRequest): RequestOptions {
    const base = this.#base.pathname.replace(/\/$/, '')
    return {
      protocol: this.#base.protocol,
      hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
      port: this.#base.port,
      path: `${base}${path}${queryString(query)}`,
    }
  }

  async #headers(headers: Readonly<Record<string, string>>): Promise<Record<string, string | string[]>> {
    const authorization = await this.config.authorization()
    return {
      accept: 'application/json',
      'user-agent': this.#options.userAgent,
      ...(authorization === undefined ? {} : { authorization }),
      ...this.config.headers,
      ...headers,
    }
  }

  #unanswered({ method, path, signal }: ClientRequest, cause: unknown): unknown {
    if (signal?.aborted === true && signal.reason === cause) return cause
    if (cause instanceof Forbidden) return cause.cause
    const text = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause)
    return new Unanswered(`${method} ${path}: the API server at ${this.config.server} did not answer: ${text}`, {
      cause,
    })
  }
}

/** The server was not reached, or went silent; whether it did what was asked is not known. */
export class Unanswered extends Error {}

interface Asked {
  readonly outgoing: OutgoingRequest
  readonly answered: Promise<IncomingMessage>
}

/** A request that may not go any more, with the reason as its cause. */
class Forbidden extends Error {}

/** Calls back when a connection is there and open. A request may have waited long for it, behind all others. */
function whenReady(outgoing: OutgoingRequest, then: () => void): void {
  outgoing.once('socket', (socket: Socket & Partial<Pick<TLSSocket, 'encrypted'>> & { secureConnecting?: boolean }) => {
    if (!socket.connecting && socket.secureConnecting !== true) return then()
    socket.once(socket.encrypted === true ? 'secureConnect' : 'connect', then)
  })
}

function endIfAllowed(outgoing: OutgoingRequest, body: Buffer | undefined, mayGo: () => void): void {
  try {
    mayGo()
  } catch (error) {
    outgoing.destroy(new Forbidden('the request may not be sent any more', { cause: error }))
    return
  }
  outgoing.end(body)
}

function endWhenSilent(answer: IncomingMessage): void {
  const end = (): void => void answer.destroy(new Error(`no data for ${silentStreamMs} ms`))
  const { socket } = answer
  socket.setTimeout(silentStreamMs, end)
  // The connection may serve others afterwards, and its silence is then none of this answer's.
  answer.once('close', () => socket.off('timeout', end))
}

/** Listeners cost a fraction of what a stream's iterator does, and every request of a service comes along here. */
function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  answer.on('data', (chunk: Buffer) => void chunks.push(chunk))
  answer.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
  answer.once('error', reject)
  answer.once('close', () => reject(new Error('the connection was closed before the answer was complete')))
  return promise
}

interface Protocol {
  readonly Agent: new (options: AgentOptions) => Agent
  readonly request: (options: RequestOptions) => OutgoingRequest
}

/**
 * Plain HTTP is for proxies and tests. An `import` of node:http would read all its exports, among them a WebSocket that
 * costs every process 5 MiB.
 */
function protocolOf({ protocol }: URL): Protocol {
  return protocol === 'http:' ? process.getBuiltinModule('node:http') : https
}

/**
 * Certificates are read once; given as text they would be read for each connection, and compared for each request. Those
 * that cannot be read are left to the first request, whose error tells.
 */
function agentTls(tls: ClusterConfig['tls'], { protocol }: URL): AgentOptions {
  if (protocol === 'http:') return {}
  const { ca, cert, key, ...others } = tls
  const given = { ca, cert, key }
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  try {
    return { ...others, secureContext: createSecureContext(known) }
  } catch {
    return tls
  }
}

function encode(body: unknown): { body?: Buffer; contentType?: string } {
  if (body === undefined) return {}
  if (Buffer.isBuffer(body)) return { body }
  if (typeof body === 'string') return { body: Buffer.from(body) }
  return { body: Buffer.from(JSON.stringify(body)), contentType: 'application/json' }
}

function queryString(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) search.append(name, each)
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
