import { keyOf } from '@kubevirt-ts/controller'
import type { KubeObject } from '@kubevirt-ts/api'

/** After this time a version counts as fresh again: the watch must have been broken, and a conflict is the lesser evil. */
const lifetimeMs = 10_000

/**
 * Remembers which versions of objects this process has replaced itself. A cache that still shows such a version is
 * behind, and acting on it would repeat the write or run into a conflict.
 */
export class OwnWrites {
  readonly #replaced = new Map<string, { readonly version: string; readonly at: number }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * `seen` was replaced by a write of ours, or deleted where there is none. A write that changed nothing leaves the
   * version, and is not noted; one that took the last finalizer off leaves it too, but the object is gone.
   */
  note(seen: KubeObject, written?: KubeObject): void {
    const version = seen.metadata.resourceVersion ?? ''
    if (written?.metadata.resourceVersion === version && !isGone(written)) return
    this.#replaced.set(keyOf(seen), { version, at: this.#now() })
  }

  /** Milliseconds for which the cached object is known to be behind; 0 where it can be acted on. */
  staleFor(cached: KubeObject): number {
    const key = keyOf(cached)
    const replaced = this.#replaced.get(key)
    if (replaced === undefined) return 0
    const left = replaced.at + lifetimeMs - this.#now()
    if (replaced.version === cached.metadata.resourceVersion && left > 0) return left
    this.#replaced.delete(key)
    return 0
  }

  forget(key: string): void {
    this.#replaced.delete(key)
  }
}

const isGone = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0
