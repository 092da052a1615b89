import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import type {
  ClientRequest,
  ClientResponse,
  CreateOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectList,
  ObjectReference,
  PatchOptions,
  UpdateOptions,
  WatchEvent,
  WatchOptions,
} from '../kube-client.ts'
import { MemoryStore, referenceOf } from './memory-store.ts'
import { refusal } from './refusal.ts'
import { isSelected } from './selectors.ts'

/** One call that reached the fake, in order. */
export interface FakeCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'request'
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
  readonly body?: unknown
}

export interface FakeClient extends KubeClient {
  /** Every call, oldest first. */
  readonly calls: FakeCall[]
  /** The calls that write. */
  writes(): FakeCall[]
  /** What the server holds now; frozen. */
  objects<T>(resource: ResourceType<T>): T[]
  /** Asked before each call is served: a throw makes the call fail. The answer ends it. */
  intercept(interceptor: (call: FakeCall) => void | Promise<void>): () => void
}

export interface FakeClientOptions {
  /** Answers `request` calls; without it they get a 404. */
  readonly onRequest?: (request: ClientRequest) => ClientResponse | Promise<ClientResponse>
}

/**
 * An API server in memory: resource versions, conflicts, generated names, finalizers, generations, JSON and merge
 * patches, selectors, watches. It validates nothing and collects no garbage.
 */
export function fakeClient(objects: readonly KubeObject[] = [], options: FakeClientOptions = {}): FakeClient {
  return new MemoryClient(objects, options)
}

class MemoryClient implements FakeClient {
  readonly calls: FakeCall[] = []
  readonly #options: FakeClientOptions
  readonly #store: MemoryStore
  readonly #interceptors = new Set<(call: FakeCall) => void | Promise<void>>()
  #lastContact = 0
  #named = 0

  constructor(objects: readonly KubeObject[], options: FakeClientOptions) {
    this.#options = options
    this.#store = new MemoryStore(objects)
  }

  get lastContact(): number {
    return this.#lastContact
  }

  writes(): FakeCall[] {
    return this.calls.filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))
  }

  objects<T>(resource: ResourceType<T>): T[] {
    return this.#store.all(resource) as T[]
  }

  intercept(interceptor: (call: FakeCall) => void | Promise<void>): () => void {
    this.#interceptors.add(interceptor)
    return () => this.#interceptors.delete(interceptor)
  }

  async get<T>(resource: ResourceType<T>, reference: ObjectReference): Promise<T> {
    await this.#called({ verb: 'get', resource: resource.plural, ...reference })
    return structuredClone(this.#store.existing(resource, reference)) as T
  }

  async list<T>(resource: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    await this.#called({ verb: 'list', resource: resource.plural, ...namespaceOf(options) })
    const items = this.#store.all(resource).filter((object) => isSelected(object, options))
    const start = Number(options.continue ?? 0)
    const end = start + (options.limit ?? items.length)
    return {
      metadata: {
        resourceVersion: String(this.#store.version),
        ...(end < items.length ? { continue: String(end) } : {}),
      },
      items: structuredClone(items.slice(start, end)) as T[],
    }
  }

  async create<T>(resource: ResourceType<T>, body: T, options: CreateOptions = {}): Promise<T> {
    const object = structuredClone(body) as KubeObject
    const { generateName } = object.metadata
    if (!object.metadata.name && generateName) object.metadata.name = generateName + this.#suffix()
    if (options.namespace !== undefined) object.metadata.namespace = options.namespace
    const reference = referenceOf(object)
    const call = { verb: 'create', resource: resource.plural, ...reference, body: structuredClone(body) } as const
    await this.#called(options.subresource === undefined ? call : { ...call, subresource: options.subresource })
    if (options.subresource !== undefined) return object as T
    if (this.#store.find(resource, reference) !== undefined) {
      throw refusal(409, 'AlreadyExists', `${resource.plural} "${reference.name}" already exists`)
    }
    return this.#store.create(resource, object, options) as T
  }

  async update<T>(resource: ResourceType<T>, body: T, options: UpdateOptions = {}): Promise<T> {
    const object = structuredClone(body) as KubeObject
    const reference = referenceOf(object)
    const call = { verb: 'update', resource: resource.plural, ...reference, body: structuredClone(body) } as const
    await this.#called(options.subresource === undefined ? call : { ...call, subresource: options.subresource })
    const before = this.#store.existing(resource, reference)
    return this.#store.replace(resource, before, object, options) as T
  }

  async patch<T>(
    resource: ResourceType<T>,
    reference: ObjectReference,
    body: unknown,
    options: PatchOptions,
  ): Promise<T> {
    const call = { verb: 'patch', resource: resource.plural, ...reference, body } as const
    await this.#called(options.subresource === undefined ? call : { ...call, subresource: options.subresource })
    const before = this.#store.find(resource, reference)
    if (before === undefined && options.type === 'apply') {
      return this.#store.create(resource, body as KubeObject, options) as T
    }
    return this.#store.patch(resource, this.#store.existing(resource, reference), body, options) as T
  }

  async delete<T>(resource: ResourceType<T>, reference: ObjectReference, options: DeleteOptions = {}): Promise<void> {
    await this.#called({ verb: 'delete', resource: resource.plural, ...reference, body: options })
    const before = this.#store.existing(resource, reference)
    const { uid, resourceVersion } = options.preconditions ?? {}
    const isOther =
      (uid !== undefined && uid !== before.metadata.uid) ||
      (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
    if (isOther)
      throw refusal(409, 'Conflict', `${resource.plural} "${reference.name}" does not meet the preconditions`)
    this.#store.remove(resource, before)
  }

  async *watch<T>(resource: ResourceType<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void> {
    await this.#called({ verb: 'watch', resource: resource.plural, ...namespaceOf(options) })
    const { signal, resourceVersion } = options
    if (resourceVersion === undefined) {
      for (const object of this.#store.all(resource).filter((each) => isSelected(each, options))) {
        yield { type: 'ADDED', object: structuredClone(object) as T }
      }
    }
    const seen = resourceVersion === undefined ? this.#store.version : Number(resourceVersion)
    yield* this.#store.changes(resource, seen, options, signal) as AsyncGenerator<WatchEvent<T>, void>
  }

  async request(request: ClientRequest): Promise<ClientResponse> {
    await this.#called({ verb: 'request', resource: `${request.method} ${request.path}`, body: request.body })
    return (await this.#options.onRequest?.(request)) ?? { status: 404, headers: {}, body: Buffer.alloc(0) }
  }

  upgrade(): Promise<never> {
    return Promise.reject(new Error('the fake has no streams'))
  }

  setRateLimit(): void {}

  async close(): Promise<void> {}

  /** Never the same twice: of random ones two of a few hundred are alike now and then. */
  #suffix(): string {
    return String(this.#named++).padStart(5, '0')
  }

  async #called(call: FakeCall): Promise<void> {
    this.calls.push(call)
    for (const interceptor of this.#interceptors) await interceptor(call)
    this.#lastContact = Date.now()
  }
}

function namespaceOf({ namespace }: { readonly namespace?: string }): { namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}
