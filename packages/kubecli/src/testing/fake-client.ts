import { apiVersionOf, type KubeObject, type ResourceType, type Status } from '@kubevirt-ts/api'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../api-error.ts'
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
import { patched, PatchRefused } from './patches.ts'
import { isSelected, type Selection } from './selectors.ts'

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
  /** What the server holds now. */
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

interface Change {
  readonly version: number
  readonly resource: string
  readonly before?: KubeObject
  readonly after?: KubeObject
}

/** Kinds whose status only changes through the subresource, as on the real server. */
const kindsWithStatus = new Set([
  'DaemonSet',
  'Deployment',
  'KubeVirt',
  'Node',
  'PersistentVolumeClaim',
  'Pod',
  'VirtualMachine',
  'VirtualMachineInstanceMigration',
  'VirtualMachineInstanceReplicaSet',
  'VirtualMachinePool',
])

class MemoryClient implements FakeClient {
  readonly calls: FakeCall[] = []
  readonly #options: FakeClientOptions
  readonly #objects = new Map<string, KubeObject>()
  readonly #history: Change[] = []
  readonly #interceptors = new Set<(call: FakeCall) => void | Promise<void>>()
  readonly #wake = new Set<() => void>()
  #version = 1
  #lastContact = 0
  #named = 0

  constructor(objects: readonly KubeObject[], options: FakeClientOptions) {
    this.#options = options
    for (const object of objects) {
      const { apiVersion, kind } = object
      if (apiVersion === undefined || kind === undefined)
        throw new Error('objects for the fake need apiVersion and kind')
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''
      this.#store(`${group}/${kind}`, undefined, this.#fresh(object))
    }
  }

  get lastContact(): number {
    return this.#lastContact
  }

  writes(): FakeCall[] {
    return this.calls.filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))
  }

  objects<T>(resource: ResourceType<T>): T[] {
    return structuredClone(this.#all(resource)) as T[]
  }

  intercept(interceptor: (call: FakeCall) => void | Promise<void>): () => void {
    this.#interceptors.add(interceptor)
    return () => this.#interceptors.delete(interceptor)
  }

  async get<T>(resource: ResourceType<T>, reference: ObjectReference): Promise<T> {
    await this.#called({ verb: 'get', resource: resource.plural, ...reference })
    return structuredClone(this.#existing(resource, reference)) as T
  }

  async list<T>(resource: ResourceType<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    await this.#called({ verb: 'list', resource: resource.plural, ...namespaceOf(options) })
    const items = this.#all(resource).filter((object) => isSelected(object, options))
    const start = Number(options.continue ?? 0)
    const end = start + (options.limit ?? items.length)
    return {
      metadata: { resourceVersion: String(this.#version), ...(end < items.length ? { continue: String(end) } : {}) },
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
    if (this.#find(resource, reference) !== undefined) {
      throw refusal(409, 'AlreadyExists', `${resource.plural} "${reference.name}" already exists`)
    }
    const fresh = this.#fresh({ ...object, kind: resource.kind, apiVersion: apiVersionOf(resource) })
    if (options.dryRun !== true) this.#store(typeKey(resource), undefined, fresh)
    return structuredClone(fresh) as T
  }

  async update<T>(resource: ResourceType<T>, body: T, options: UpdateOptions = {}): Promise<T> {
    const object = structuredClone(body) as KubeObject
    const reference = referenceOf(object)
    const call = { verb: 'update', resource: resource.plural, ...reference, body: structuredClone(body) } as const
    await this.#called(options.subresource === undefined ? call : { ...call, subresource: options.subresource })
    const before = this.#existing(resource, reference)
    const { resourceVersion, uid } = object.metadata
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      throw refusal(
        409,
        'Conflict',
        `${resource.plural} "${reference.name}" was modified; apply the change to its newest version`,
      )
    }
    if (uid !== undefined && uid !== before.metadata.uid) {
      throw refusal(409, 'Conflict', `${resource.plural} "${reference.name}" has another UID`)
    }
    return this.#replace(resource, before, object, options) as T
  }

  async patch<T>(
    resource: ResourceType<T>,
    reference: ObjectReference,
    body: unknown,
    options: PatchOptions,
  ): Promise<T> {
    const call = { verb: 'patch', resource: resource.plural, ...reference, body } as const
    await this.#called(options.subresource === undefined ? call : { ...call, subresource: options.subresource })
    const before = this.#find(resource, reference)
    if (before === undefined && options.type === 'apply') {
      const fresh = this.#fresh({ ...(body as KubeObject), kind: resource.kind, apiVersion: apiVersionOf(resource) })
      if (options.dryRun !== true) this.#store(typeKey(resource), undefined, fresh)
      return structuredClone(fresh) as T
    }
    return this.#replace(
      resource,
      this.#existing(resource, reference),
      this.#patched(before!, body, options),
      options,
    ) as T
  }

  async delete<T>(resource: ResourceType<T>, reference: ObjectReference, options: DeleteOptions = {}): Promise<void> {
    await this.#called({ verb: 'delete', resource: resource.plural, ...reference, body: options })
    const before = this.#existing(resource, reference)
    const { uid, resourceVersion } = options.preconditions ?? {}
    const isOther =
      (uid !== undefined && uid !== before.metadata.uid) ||
      (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
    if (isOther)
      throw refusal(409, 'Conflict', `${resource.plural} "${reference.name}" does not meet the preconditions`)
    if ((before.metadata.finalizers ?? []).length === 0) return this.#store(typeKey(resource), before, undefined)
    if (before.metadata.deletionTimestamp !== undefined) return
    const deletionTimestamp = `${new Date().toISOString().slice(0, 19)}Z`
    const after = { ...before, metadata: { ...before.metadata, deletionTimestamp, resourceVersion: this.#next() } }
    this.#store(typeKey(resource), before, after)
  }

  async *watch<T>(resource: ResourceType<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void> {
    await this.#called({ verb: 'watch', resource: resource.plural, ...namespaceOf(options) })
    const { signal, resourceVersion } = options
    if (resourceVersion === undefined) {
      for (const object of this.#all(resource).filter((each) => isSelected(each, options))) {
        yield { type: 'ADDED', object: structuredClone(object) as T }
      }
    }
    let seen = resourceVersion === undefined ? this.#version : Number(resourceVersion)
    while (signal?.aborted !== true) {
      const changes = this.#history.filter((change) => change.version > seen && change.resource === typeKey(resource))
      for (const change of changes) {
        seen = change.version
        const event = eventOf(change, options)
        if (event !== undefined) yield structuredClone(event) as WatchEvent<T>
      }
      if (changes.length === 0) await this.#nextChange(signal)
    }
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

  async #called(call: FakeCall): Promise<void> {
    this.calls.push(call)
    for (const interceptor of this.#interceptors) await interceptor(call)
    this.#lastContact = Date.now()
  }

  #all(resource: ResourceType<unknown>): KubeObject[] {
    const prefix = `${typeKey(resource)} `
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object)
  }

  #find(resource: ResourceType<unknown>, reference: ObjectReference): KubeObject | undefined {
    return this.#objects.get(objectKey(typeKey(resource), reference))
  }

  #existing(resource: ResourceType<unknown>, reference: ObjectReference): KubeObject {
    const object = this.#find(resource, reference)
    if (object === undefined) throw refusal(404, 'NotFound', `${resource.plural} "${reference.name}" not found`)
    return object
  }

  #patched(before: KubeObject, body: unknown, { type }: PatchOptions): KubeObject {
    try {
      return patched(before, body, type)
    } catch (error) {
      if (error instanceof PatchRefused) throw refusal(422, 'Invalid', error.message)
      throw error
    }
  }

  /** What the API server makes of a whole new state: server fields stay, status and the rest have their own doors. */
  #replace(
    resource: ResourceType<unknown>,
    before: KubeObject,
    sent: KubeObject,
    { subresource, dryRun }: { readonly subresource?: string; readonly dryRun?: boolean },
  ): KubeObject {
    const wanted = throughDoor(before, sent, subresource)
    const { uid, creationTimestamp, deletionTimestamp, generation, resourceVersion, name, namespace } = before.metadata
    const kept = { uid, creationTimestamp, deletionTimestamp, generation, resourceVersion, name, namespace }
    const after = {
      ...wanted,
      kind: before.kind,
      apiVersion: before.apiVersion,
      metadata: { ...wanted.metadata, ...defined(kept) },
    } as KubeObject
    if (isDeepStrictEqual(after, before)) return structuredClone(before)
    if (!isDeepStrictEqual(specOf(after), specOf(before))) after.metadata.generation = (generation ?? 0) + 1
    after.metadata.resourceVersion = this.#next()
    const isGone = deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0
    if (dryRun !== true) this.#store(typeKey(resource), isGone ? after : before, isGone ? undefined : after)
    return structuredClone(after)
  }

  #fresh(object: KubeObject): KubeObject {
    const now = `${new Date().toISOString().slice(0, 19)}Z`
    const { metadata } = object
    return structuredClone({
      ...object,
      metadata: {
        ...metadata,
        uid: metadata.uid ?? randomUUID(),
        creationTimestamp: metadata.creationTimestamp ?? now,
        generation: metadata.generation ?? 1,
        resourceVersion: this.#next(),
      },
    })
  }

  /** Never the same twice: of random ones two of a few hundred are alike now and then. */
  #suffix(): string {
    return String(this.#named++).padStart(5, '0')
  }

  #next(): string {
    this.#version += 1
    return String(this.#version)
  }

  #store(type: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const key = objectKey(type, referenceOf(after ?? before!))
    if (after === undefined) this.#objects.delete(key)
    else this.#objects.set(key, after)
    const version = after === undefined ? Number(this.#next()) : Number(after.metadata.resourceVersion)
    this.#history.push({ version, resource: type, ...(before ? { before } : {}), ...(after ? { after } : {}) })
    for (const wake of this.#wake) wake()
  }

  async #nextChange(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    this.#wake.add(wake)
    signal?.addEventListener('abort', wake)
    await promise
    signal?.removeEventListener('abort', wake)
    this.#wake.delete(wake)
  }
}

function throughDoor(before: KubeObject, sent: KubeObject, subresource: string | undefined): KubeObject {
  const statusOf = (object: KubeObject) => (object as { status?: unknown }).status
  if (subresource === 'status') {
    // Of a pod its labels come through this door too, of a custom resource nothing but the status.
    const labels = before.kind === 'Pod' ? sent.metadata.labels : before.metadata.labels
    const metadata = { ...before.metadata, ...defined({ labels }) }
    return { ...before, metadata, ...defined({ status: statusOf(sent) }) } as KubeObject
  }
  if (!kindsWithStatus.has(before.kind ?? '')) return sent
  const { status: _, ...rest } = sent as KubeObject & { status?: unknown }
  return { ...rest, ...defined({ status: statusOf(before) }) }
}

/** A change as a watch with this selection sees it: leaving the selection looks like a deletion. */
function eventOf({ before, after, version }: Change, selection: Selection): WatchEvent<KubeObject> | undefined {
  const was = before !== undefined && isSelected(before, selection)
  const is = after !== undefined && isSelected(after, selection)
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after }
  if (!was) return undefined
  const last = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } }
  return { type: 'DELETED', object: last }
}

function typeKey(resource: ResourceType<unknown>): string {
  return `${resource.group}/${resource.kind}`
}

function objectKey(type: string, { namespace, name }: ObjectReference): string {
  return `${type} ${namespace ?? ''}/${name}`
}

function referenceOf({ metadata: { namespace, name } }: KubeObject): ObjectReference {
  return namespace === undefined ? { name } : { namespace, name }
}

function namespaceOf({ namespace }: { readonly namespace?: string }): { namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}

function specOf(object: KubeObject): unknown {
  return (object as { spec?: unknown }).spec
}

function defined<V extends object>(values: V): V {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as V
}

function refusal(code: number, reason: string, message: string): ApiError {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message } as Status
  return new ApiError(status, { request: 'fake' })
}
