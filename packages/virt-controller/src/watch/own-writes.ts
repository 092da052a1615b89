import { isEarlierVersion, keyOf } from '@kubevirt-ts/controller'
import type { KubeObject } from '@kubevirt-ts/api'

/** After this time a version counts as fresh again: the watch must have been broken, and a conflict is the lesser evil. */
const lifetimeMs = 10_000

interface Write {
  /** The version that was replaced. */
  readonly version: string
  /** What the API server made of it; undefined where that is gone. */
  readonly written: string | undefined
  readonly at: number
}

/**
 * Remembers which versions of objects this process has replaced itself. A cache that still shows such a version, or one that
 * another wrote in between, is behind, and acting on it would repeat the write or run into a conflict.
 */
export class OwnWrites {
  readonly #writes = new Map<string, Write>()
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
    const isUnchanged = written?.metadata.resourceVersion === version
    if (written !== undefined && isUnchanged && !isGone(written)) return
    this.#writes.set(keyOf(seen), {
      version,
      written: isUnchanged ? undefined : written?.metadata.resourceVersion,
      at: this.#now(),
    })
  }

  /** Milliseconds for which the cached object is known to be behind; 0 where it can be acted on. */
  staleFor(cached: KubeObject): number {
    const key = keyOf(cached)
    const write = this.#writes.get(key)
    if (write === undefined) return 0
    const left = write.at + lifetimeMs - this.#now()
    if (left > 0 && isBehind(cached.metadata.resourceVersion ?? '', write)) return left
    this.#writes.delete(key)
    return 0
  }

  forget(key: string): void {
    this.#writes.delete(key)
  }
}

function isBehind(cached: string, { version, written }: Write): boolean {
  return (written === undefined ? undefined : isEarlierVersion(cached, written)) ?? cached === version
}

const isGone = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0
