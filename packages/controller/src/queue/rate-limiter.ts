const firstMs = 5
const longestMs = 1_000_000

/** How long a key has to wait after it failed: 5 ms, doubled each time until it does well, 1000 s at most. */
export class FailureBackoff {
  readonly #failures = new Map<string, number>()

  /** Counts a failure and answers the wait in milliseconds. */
  next(key: string): number {
    const failures = this.retries(key)
    this.#failures.set(key, failures + 1)
    return Math.min(firstMs * 2 ** failures, longestMs)
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  forget(key: string): void {
    this.#failures.delete(key)
  }
}
