import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

export interface InformerOptions<T extends KubeObject> {
  readonly client: KubeClient
  readonly resource: ResourceType<T>
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Named functions from an object to the values under which `byIndex` finds it. */
  readonly indexers?: Readonly<Record<string, (object: T) => readonly string[]>>
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
  readonly #options: InformerOptions<T>
  /** Fulfilled after the first complete list was handed to the handlers. */
  readonly synced: Promise<void> = Promise.resolve()

  constructor(options: InformerOptions<T>) {
    this.#options = options
  }

  get hasSynced(): boolean {
    return false
  }

  /** When the API server last answered this informer, in milliseconds of the epoch; 0 before. */
  get lastContact(): number {
    return 0
  }

  /** Starts in the background; ends when the signal is aborted. */
  start(signal: AbortSignal): void {
    throw new Error(`not written yet: ${this.#options.resource.plural} ${signal.aborted}`)
  }

  get(key: string): T | undefined {
    throw new Error(`not written yet: ${key}`)
  }

  list(): T[] {
    return []
  }

  byIndex(index: string, value: string): T[] {
    throw new Error(`not written yet: ${index} ${value}`)
  }

  /** Also told of the objects that are already known. The answer ends it. */
  on(handlers: InformerHandlers<T>): () => void {
    throw new Error(`not written yet: ${Object.keys(handlers).join()}`)
  }
}
