interface Expected {
  creations: number
  readonly deletions: Set<string>
  expiresAt: number
}

const lifetimeMs = 5 * 60 * 1000

/**
 * What a controller did but may not have seen in its cache yet. Until all of it is seen (or 5 minutes have passed) the
 * cache of that key cannot be trusted to decide about creations and deletions.
 */
export class Expectations {
  readonly #expected = new Map<string, Expected>()
  readonly #now: () => number

  constructor(options: { readonly now?: () => number } = {}) {
    this.#now = options.now ?? Date.now
  }

  expectCreations(key: string, count: number): void {
    this.#open(key).creations += count
  }

  /** Each UID is counted once, however often its deletion is asked for or seen. */
  expectDeletions(key: string, uids: readonly string[]): void {
    const expected = this.#open(key)
    for (const uid of uids) expected.deletions.add(uid)
  }

  /** Also called when a creation failed, since it will never be seen. */
  creationObserved(key: string): void {
    const expected = this.#expected.get(key)
    if (expected === undefined) return
    expected.creations = Math.max(0, expected.creations - 1)
    this.#close(key, expected)
  }

  /** Also called when a deletion failed. */
  deletionObserved(key: string, uid: string): void {
    const expected = this.#expected.get(key)
    if (expected === undefined) return
    expected.deletions.delete(uid)
    this.#close(key, expected)
  }

  satisfied(key: string): boolean {
    const expected = this.#expected.get(key)
    if (expected === undefined) return true
    if (this.#now() < expected.expiresAt) return false
    this.#expected.delete(key)
    return true
  }

  /** Milliseconds until unmet expectations of the key expire; 0 when there are none. */
  expiresIn(key: string): number {
    const expected = this.#expected.get(key)
    return expected === undefined ? 0 : Math.max(0, expected.expiresAt - this.#now())
  }

  /** The key's object is gone. */
  forget(key: string): void {
    this.#expected.delete(key)
  }

  #open(key: string): Expected {
    const expected = this.#expected.get(key) ?? { creations: 0, deletions: new Set<string>(), expiresAt: 0 }
    expected.expiresAt = this.#now() + lifetimeMs
    this.#expected.set(key, expected)
    return expected
  }

  #close(key: string, expected: Expected): void {
    if (expected.creations === 0 && expected.deletions.size === 0) this.#expected.delete(key)
  }
}
