import type { ResourceType } from '@kubevirt-ts/api'
import type { WebSocket } from 'ws'

/** Which object of a kind. */
export interface ObjectReference {
  readonly namespace?: string
  readonly name: string
}

export interface ListOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  /** The server sends apiVersion, kind and metadata alone, which saves much where objects are large. */
  readonly metadataOnly?: boolean
  readonly signal?: AbortSignal
}

export interface WatchOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly resourceVersion?: string
  /** As for a list. */
  readonly metadataOnly?: boolean
  /** The server ends the watch after this time; between 5 and 10 minutes unless told. */
  readonly timeoutSeconds?: number
  readonly signal?: AbortSignal
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'

/** A BOOKMARK's object only has kind and metadata.resourceVersion. */
export interface WatchEvent<T> {
  readonly type: WatchEventType
  readonly object: T
}

/** A list as the API server sends it. */
export interface ObjectList<T> {
  readonly metadata: {
    readonly resourceVersion?: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: T[]
}

export interface CreateOptions {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  /** Needed where the object itself carries no namespace. */
  readonly namespace?: string
  /** A subresource of the object that is there by that name, such as a pod's `eviction` or `binding`. */
  readonly subresource?: string
}

export interface UpdateOptions {
  readonly subresource?: string
  readonly dryRun?: boolean
  readonly fieldManager?: string
}

/** `apply` is server-side apply; it needs a field manager. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

export interface PatchOptions {
  readonly type: PatchType
  readonly subresource?: string
  readonly fieldManager?: string
  readonly force?: boolean
  readonly dryRun?: boolean
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly dryRun?: boolean
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface ClientRequest {
  readonly method: string
  readonly path: string
  readonly query?: Query
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is when text or bytes, else as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** "Too many requests" is an answer of its own here, such as that of an eviction; it is not asked again. */
  readonly once?: boolean
}

export interface ClientResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface UpgradeOptions {
  /** WebSocket subprotocol; `plain.kubevirt.io` unless told. */
  readonly protocol?: string
  /** Messages wait until the reader calls `resume()`, so that none is lost before it listens. */
  readonly paused?: boolean
  readonly query?: Query
  readonly signal?: AbortSignal
}

export type ApiPath = string

/**
 * A client of one API server. A refused request throws an `ApiError`; a request that never got an answer throws an
 * error that names the server. Objects are what the server sent, nothing is added or removed.
 */
export interface KubeClient {
  get<T>(
    resource: ResourceType<T>,
    reference: ObjectReference,
    options?: { readonly resourceVersion?: string },
  ): Promise<T>
  list<T>(resource: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>
  create<T>(resource: ResourceType<T>, object: T, options?: CreateOptions): Promise<T>
  update<T>(resource: ResourceType<T>, object: T, options?: UpdateOptions): Promise<T>
  patch<T>(resource: ResourceType<T>, reference: ObjectReference, body: unknown, options: PatchOptions): Promise<T>
  /** The answer is the deleted object, or a Status when it is gone at once. */
  delete<T>(resource: ResourceType<T>, reference: ObjectReference, options?: DeleteOptions): Promise<void>
  /**
   * Ends when the server ends the watch or the signal is aborted. An ERROR event throws an `ApiError` (410 Gone: list
   * again), a broken line a `WatchError`.
   */
  watch<T>(resource: ResourceType<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /** Any path; the answer is given whatever its status. */
  request(request: ClientRequest): Promise<ClientResponse>
  /** Opens a stream. Resolves when it is open; a refusal throws an `ApiError` with the server's words. */
  upgrade(path: ApiPath, options?: UpgradeOptions): Promise<WebSocket>
  /** Changes the request rate; takes effect at once. */
  setRateLimit(limit: { readonly qps: number; readonly burst: number }): void
  /** When the API server last answered anything, in milliseconds of the epoch; 0 before. */
  readonly lastContact: number
  close(): Promise<void>
}
