import type {
  Agent,
  ClientRequest as OutgoingRequest,
  ClientRequestArgs,
  IncomingMessage,
  RequestOptions,
} from 'node:http'
import https, { type AgentOptions } from 'node:https'
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
const maxConnections = 32

/** HTTP/1.1 to one API server: kept connections for requests, a connection each for streams. */
export class Transport {
  readonly config: ClusterConfig
  readonly host: string
  readonly #options: TransportOptions
  readonly #base: URL
  readonly #protocol: Protocol
  readonly #requests: Agent
  readonly #streams: Agent

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.config = config
    this.#options = options
    this.#base = new URL(config.server)
    this.host = this.#base.host
    this.#protocol = protocolOf(this.#base)
    const { Agent } = this.#protocol
    const common = { ...config.tls, keepAliveMsecs: 15_000 }
    this.#requests = new Agent({ ...common, keepAlive: true, maxSockets: maxConnections, timeout: idleConnectionMs })
    this.#streams = new Agent({ ...common, keepAlive: false })
  }

  /** The whole answer, whatever its status. */
  async send(request: ClientRequest): Promise<ClientResponse> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs)
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal])
    try {
      return await this.#sendOnce({ ...request, signal })
    } catch (error) {
      if (timeout.aborted) throw this.#unanswered(request, new Error(`no answer within ${this.#options.timeoutMs} ms`))
      throw error
    }
  }

  /** The answer's head; the body is still to come. */
  async open(request: ClientRequest): Promise<IncomingMessage> {
    const answer = await this.#ask(request, this.#streams)
    answer.socket.setTimeout(silentStreamMs, () => answer.destroy(new Error(`no data for ${silentStreamMs} ms`)))
    return answer
  }

  /** What a WebSocket to this server needs. */
  async upgradeTarget(path: string, query: Query = {}): Promise<{ url: string; options: ClientRequestArgs }> {
    const url = `${this.config.server.replace(/^http/, 'ws')}${path}${queryString(query)}`
    return { url, options: { ...this.config.tls, headers: await this.#headers({}) } }
  }

  close(): void {
    this.#requests.destroy()
    this.#streams.destroy()
  }

  async #sendOnce(request: ClientRequest): Promise<ClientResponse> {
    const answer = await this.#ask(request, this.#requests)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of answer) chunks.push(chunk as Buffer)
    } catch (cause) {
      throw this.#unanswered(request, cause)
    }
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }
  }

  async #ask(request: ClientRequest, agent: Agent): Promise<IncomingMessage> {
    const { body, contentType } = encode(request.body)
    const headers = await this.#headers({
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      ...request.headers,
    })
    const options = { ...this.#target(request), method: request.method, headers, agent, signal: request.signal }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const outgoing = this.#protocol.request(options)
    outgoing.once('response', resolve)
    outgoing.on('error', (cause) => reject(this.#unanswered(request, cause)))
    outgoing.end(body)
    return promise
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

  async #headers(headers: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const authorization = await this.config.authorization()
    return {
      accept: 'application/json',
      'user-agent': this.#options.userAgent,
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    }
  }

  #unanswered({ method, path, signal }: ClientRequest, cause: unknown): unknown {
    if (signal?.aborted === true && signal.reason === cause) return cause
    const text = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause)
    return new Error(`${method} ${path}: the API server at ${this.config.server} did not answer: ${text}`, { cause })
  }
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
