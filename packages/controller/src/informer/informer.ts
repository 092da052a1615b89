import { apiVersionOf, type KubeObject, type ResourceType } from '@kubevirt-ts/api'
import type { KubeClient, WatchEvent } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { keyOf } from '../key.ts'
import { listAndWatch, type Selection } from './list-watch.ts'
import { Store, type Indexers } from './store.ts'

export interface InformerOptions<T extends KubeObject> {
  readonly client: KubeClient
  readonly resource: ResourceType<T>
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Keeps apiVersion, kind and metadata alone; the server sends no more. For kinds whose names are all that matters. */
  readonly metadataOnly?: boolean
  /** The API comes with another product that may be installed later or not at all; until then there are no objects. */
  readonly optional?: boolean
  /** Named functions from an object to the values under which `byIndex` finds it. */
  readonly indexers?: Indexers<T>
  /** Drops what nobody reads, to save memory. managedFields are always dropped. */
  readonly trim?: (object: T) => T
  readonly log: Logger
}

/** Called in the order of the changes, one after the other; they must not wait. Objects are shared: never change one. */
export interface InformerHandlers<T> {
  readonly added?: (object: T) => void
  readonly updated?: (before: T, after: T) => void
  /** The last state that was seen. */
  readonly deleted?: (object: T) => void
}

/** What a controller reads; objects are shared, never change one. */
export interface Lister<T> {
  get(key: string): T | undefined
  list(): T[]
  byIndex(index: string, value: string): T[]
}

/** A copy of a collection that is kept up to date by one list and one watch. */
export class Informer<T extends KubeObject> implements Lister<T> {
  /** Fulfilled after the first complete list was handed to the handlers. */
  readonly synced: Promise<void>
  readonly #options: InformerOptions<T>
  readonly #store: Store<T>
  readonly #handlers = new Set<InformerHandlers<T>>()
  readonly #resolveSynced: () => void
  #hasSynced = false
  #lastContact = 0

  constructor(options: InformerOptions<T>) {
    this.#options = options
    this.#store = new Store(options.indexers)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.synced = promise
    this.#resolveSynced = resolve
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** When the API server last answered this informer, in milliseconds of the epoch; 0 before. */
  get lastContact(): number {
    return this.#lastContact
  }

  /**
   * Starts in the background; ends when the signal is aborted. `wentBack` is called where the server's state is older than
   * what was seen, as after a backup was put back, before anything of it is taken over.
   */
  start(signal: AbortSignal, wentBack: () => void = () => undefined): void {
    const { log, client, resource } = this.#options
    const follow = listAndWatch<T>(
      {
        client,
        resource,
        log,
        selection: selectionOf(this.#options),
        optional: this.#options.optional === true,
        keep: (object) => this.#trimmed(object),
        onList: (objects) => this.#replace(objects),
        onEvent: (event) => this.#apply(event),
        onContact: () => {
          this.#lastContact = Date.now()
        },
        onWentBack: wentBack,
      },
      signal,
    )
    follow.catch((error: unknown) => log.error({ error, resource: resource.plural }, 'informer ended'))
  }

  get(key: string): T | undefined {
    return this.#store.get(key)
  }

  list(): T[] {
    return this.#store.list()
  }

  byIndex(index: string, value: string): T[] {
    return this.#store.byIndex(index, value)
  }

  /** Also told of the objects that are already known. The answer ends it. */
  on(handlers: InformerHandlers<T>): () => void {
    this.#handlers.add(handlers)
    for (const object of this.#store.list()) this.#tell(() => handlers.added?.(object))
    return () => this.#handlers.delete(handlers)
  }

  #replace(objects: T[]): void {
    const gone = new Set(this.#store.keys())
    for (const object of objects) {
      gone.delete(keyOf(object))
      this.#set(object)
    }
    for (const key of gone) this.#delete(key)
    if (this.#hasSynced) return
    this.#hasSynced = true
    this.#resolveSynced()
  }

  #apply({ type, object }: WatchEvent<T>): void {
    if (type === 'DELETED') this.#delete(keyOf(object), object)
    else this.#set(object)
  }

  #set(object: T): void {
    const before = this.#store.get(keyOf(object))
    if (before === undefined) {
      this.#store.set(object)
      this.#each((handlers) => handlers.added?.(object))
    } else if (before.metadata.uid !== object.metadata.uid) {
      // Deleted and made again while nobody watched: the old one's end must not be missed.
      this.#delete(keyOf(before))
      this.#set(object)
    } else if (before.metadata.resourceVersion !== object.metadata.resourceVersion) {
      this.#store.set(object)
      this.#each((handlers) => handlers.updated?.(before, object))
    }
  }

  #delete(key: string, last?: T): void {
    const known = this.#store.get(key)
    if (known === undefined) return
    this.#store.delete(key)
    this.#each((handlers) => handlers.deleted?.(last ?? known))
  }

  #trimmed(object: T): T {
    const { resource, trim, metadataOnly } = this.#options
    // A list's items carry neither; every reader may rely on them.
    if (object.kind === undefined || metadataOnly === true) {
      object.kind = resource.kind
      object.apiVersion = apiVersionOf(resource)
    }
    delete object.metadata.managedFields
    return trim === undefined ? object : trim(object)
  }

  #each(call: (handlers: InformerHandlers<T>) => void): void {
    for (const handlers of this.#handlers) this.#tell(() => call(handlers))
  }

  /** A handler that throws must not cost the others their event, nor the informer its watch. */
  #tell(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#options.log.error({ error, resource: this.#options.resource.plural }, 'event handler failed')
    }
  }
}

function selectionOf<T extends KubeObject>(options: InformerOptions<T>): Selection {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = options
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(metadataOnly === undefined ? {} : { metadataOnly }),
  }
}
