import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { goJson } from './go-json.ts'
import { ApiError } from './api-error.ts'
import { objectOf, statusOf } from './answer.ts'
import type { ClusterConfig } from './config/cluster-config.ts'
import type {
  ApiPath,
  ClientRequest,
  ClientResponse,
  CreateOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  ObjectReference,
  PatchOptions,
  PatchType,
  UpdateOptions,
  UpgradeOptions,
  WatchEvent,
  WatchOptions,
} from './kube-client.ts'
import { type Patience, putOffs } from './put-off.ts'
import { resourcePath } from './resource-path.ts'
import { TokenBucket, type RateLimit } from './token-bucket.ts'
import { Transport } from './transport.ts'
import { openStream } from './upgrade.ts'
import { readEvents } from './watch-stream.ts'

/** One answered request, for metrics. */
export interface RequestRecord {
  readonly method: string
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `request`. */
  readonly verb: string
  readonly resource: string
  readonly host: string
  /** 0 when no answer came. */
  readonly status: number
  readonly seconds: number
  /** How long the request waited for the rate limit. */
  readonly throttledSeconds: number
}

export interface ClientOptions {
  readonly userAgent: string
  /** Requests per second on average; no limit unless told. */
  readonly qps?: number
  readonly burst?: number
  readonly onRequest?: (record: RequestRecord) => void
  /** A request without an answer fails after this time; 30 s unless told. Watches are not affected. */
  readonly timeoutMs?: number
  /** Asked when a connection is ready to take a write, just before it goes; a throw keeps it from being sent. A leader that lost its lease says so here. */
  readonly beforeWrite?: () => void
  /** Without it an API behind the server that is away is a failure at once. */
  readonly patience?: Patience
}

/** What is asked, besides the request itself. */
interface Intent {
  readonly verb: string
  readonly resource: string
}

const contentTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML, so the body needs no conversion.
  apply: 'application/apply-patch+yaml',
}

/** A client with kept connections; nothing is sent before the first call. */
export function createClient(config: ClusterConfig, options: ClientOptions): KubeClient {
  return new HttpKubeClient(config, options)
}

class HttpKubeClient implements KubeClient {
  readonly #transport: Transport
  readonly #bucket: TokenBucket
  readonly #onRequest: ClientOptions['onRequest']
  readonly #beforeWrite: ClientOptions['beforeWrite']
  readonly #patience: Patience | undefined
  #lastContact = 0

  constructor(config: ClusterConfig, options: ClientOptions) {
    const { userAgent, qps = 0, burst = qps, timeoutMs = 30_000 } = options
    this.#transport = new Transport(config, { userAgent, timeoutMs })
    this.#bucket = new TokenBucket({ qps, burst })
    this.#onRequest = options.onRequest
    this.#beforeWrite = options.beforeWrite
    this.#patience = options.patience
  }

  get lastContact(): number {
    return this.#lastContact
  }

  async get<T>(
    resource: ResourceType<T>,
    reference: ObjectReference,
    options: { readonly resourceVersion?: string } = {},
  ): Promise<T> {
    const path = resourcePath(resource, reference)
    return this.#object<T>('get', resource, { method: 'GET', path, query: { ...options } })
  }

  async list<T>(resource: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const { namespace, signal, metadataOnly, ...query } = options
    const path = resourcePath(resource, { namespace })
    const list = await this.#object<ObjectList<T>>('list', resource, {
      method: 'GET',
      path,
      query,
      signal,
      headers: acceptFor(metadataOnly, 'PartialObjectMetadataList'),
    })
    return { metadata: list.metadata ?? {}, items: list.items ?? [] }
  }

  async create<T>(resource: ResourceType<T>, object: T, options: CreateOptions = {}): Promise<T> {
    const { subresource } = options
    const { namespace: own, name: ownName } = metadataOf(object)
    const namespace = options.namespace ?? own
    // Something of an object that is there, such as its eviction, bears that object's name.
    const name = subresource === undefined ? undefined : ownName
    const path = resourcePath(resource, { namespace, name, subresource })
    const query = { dryRun: options.dryRun === true ? 'All' : undefined, fieldManager: options.fieldManager }
    return this.#object<T>('create', resource, { method: 'POST', path, query, body: object })
  }

  async update<T>(resource: ResourceType<T>, object: T, options: UpdateOptions = {}): Promise<T> {
    const { namespace, name } = metadataOf(object)
    const path = resourcePath(resource, { namespace, name, subresource: options.subresource })
    const query = { dryRun: options.dryRun === true ? 'All' : undefined, fieldManager: options.fieldManager }
    return this.#object<T>('update', resource, { method: 'PUT', path, query, body: object })
  }

  async patch<T>(
    resource: ResourceType<T>,
    reference: ObjectReference,
    body: unknown,
    { type, subresource, fieldManager, force, dryRun }: PatchOptions,
  ): Promise<T> {
    return this.#object<T>('patch', resource, {
      method: 'PATCH',
      path: resourcePath(resource, { ...reference, subresource }),
      query: { fieldManager, force, dryRun: dryRun === true ? 'All' : undefined },
      headers: { 'content-type': contentTypes[type] },
      body: type === 'json' ? goJson(body) : body,
    })
  }

  async delete<T>(resource: ResourceType<T>, reference: ObjectReference, options: DeleteOptions = {}): Promise<void> {
    const { dryRun, ...rest } = options
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...rest,
      ...(dryRun === true ? { dryRun: ['All'] } : {}),
    }
    await this.#object('delete', resource, { method: 'DELETE', path: resourcePath(resource, reference), body })
  }

  async *watch<T>(resource: ResourceType<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void> {
    const { namespace, signal, metadataOnly, timeoutSeconds = watchSeconds(), ...selection } = options
    const path = resourcePath(resource, { namespace })
    const query = { ...selection, watch: true, allowWatchBookmarks: true, timeoutSeconds }
    const headers = acceptFor(metadataOnly, 'PartialObjectMetadata')
    const request = { method: 'GET', path, query, headers, signal }
    const stream = await this.#limited({ verb: 'watch', resource: resource.plural }, request, async () => {
      const answer = await this.#transport.open(request)
      return { status: answer.statusCode ?? 0, headers: answer.headers, answer }
    })
    try {
      if (stream.status !== 200) throw await refusalOf(stream, `WATCH ${path}`)
      for await (const event of readEvents<T>(stream.answer, `WATCH ${path}`)) {
        this.#lastContact = Date.now()
        yield event
      }
    } catch (error) {
      if (signal?.aborted !== true) throw error
    } finally {
      stream.answer.destroy()
    }
  }

  async request(request: ClientRequest): Promise<ClientResponse> {
    return this.#limited({ verb: 'request', resource: '' }, request, () => this.#send(request))
  }

  async upgrade(path: ApiPath, options: UpgradeOptions = {}): Promise<WebSocket> {
    return openStream(this.#transport, path, options)
  }

  setRateLimit(limit: RateLimit): void {
    this.#bucket.setLimit(limit)
  }

  async close(): Promise<void> {
    this.#transport.close()
  }

  async #object<T>(verb: string, resource: ResourceType<unknown>, request: ClientRequest): Promise<T> {
    const send = () => this.#send(request)
    const response = await this.#limited({ verb, resource: resource.plural }, request, send)
    return objectOf<T>(response, `${request.method} ${request.path}`)
  }

  async #send(request: ClientRequest): Promise<ClientResponse> {
    return this.#transport.send(request, request.method === 'GET' ? undefined : this.#beforeWrite)
  }

  /** Waits for the rate limit, sends, and sends again when the server asks for it. */
  async #limited<R extends { status: number; headers: ClientResponse['headers']; body?: Buffer }>(
    intent: Intent,
    request: ClientRequest,
    send: () => Promise<R>,
  ): Promise<R> {
    const putOff = request.once === true ? () => undefined : putOffs(this.#patience)
    for (;;) {
      const throttledMs = await this.#bucket.take(request.signal)
      const response = await this.#recorded(intent, request, throttledMs, send)
      const delayMs = putOff(response)
      if (delayMs === undefined) return response
      if ('answer' in response) (response.answer as { destroy(): void }).destroy()
      await sleep(delayMs, undefined, { signal: request.signal })
    }
  }

  async #recorded<R extends { status: number }>(
    intent: Intent,
    request: ClientRequest,
    throttledMs: number,
    send: () => Promise<R>,
  ): Promise<R> {
    const since = performance.now()
    let status = 0
    try {
      const response = await send()
      status = response.status
      this.#lastContact = Date.now()
      return response
    } finally {
      this.#onRequest?.({
        ...intent,
        method: request.method,
        host: this.#transport.host,
        status,
        seconds: (performance.now() - since) / 1000,
        throttledSeconds: throttledMs / 1000,
      })
    }
  }
}

/** Watches that end at different times do not all come back at once. */
function watchSeconds(): number {
  return 300 + Math.floor(Math.random() * 300)
}

function acceptFor(metadataOnly: boolean | undefined, kind: string): Record<string, string> {
  return metadataOnly === true ? { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` } : {}
}

function metadataOf(object: unknown): Partial<KubeObject['metadata']> {
  return (object as Partial<KubeObject>).metadata ?? {}
}

async function refusalOf(
  stream: { status: number; headers: ClientResponse['headers']; answer: AsyncIterable<Buffer> },
  request: string,
): Promise<ApiError> {
  const chunks: Buffer[] = []
  for await (const chunk of stream.answer) chunks.push(chunk)
  return new ApiError(statusOf({ ...stream, body: Buffer.concat(chunks) }), { request })
}
