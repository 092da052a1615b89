const firstMs = 5
const longestMs = 1_000_000

/** client-go's: what fails at the same time, such as all keys while a server is away, must not come back as one crowd. */
const atOnce = 100
const betweenMs = 100

/**
 * How long a key has to wait after it failed: 5 ms, doubled each time until it does well, 1000 s at most; and longer where
 * too many keys fail: a hundred pass at once, then ten in a second.
 */
export class FailureBackoff {
  readonly #failures = new Map<string, number>()
  /** When the last one that failed has its turn. */
  #lastTurn = -Infinity

  /** Counts a failure and answers the wait in milliseconds. */
  next(key: string): number {
    const failures = this.retries(key)
    this.#failures.set(key, failures + 1)
    return Math.max(Math.min(firstMs * 2 ** failures, longestMs), this.#turn())
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** Milliseconds until there is room for one more. */
  #turn(): number {
    const now = performance.now()
    this.#lastTurn = Math.max(this.#lastTurn, now - atOnce * betweenMs) + betweenMs
    return Math.max(0, this.#lastTurn - now)
  }
}
