export interface RateLimit {
  /** Requests per second on average; 0 means no limit. */
  readonly qps: number
  /** How many may pass at once after a pause. */
  readonly burst: number
}

/** Lets `qps` requests a second pass on average and up to `burst` at once; waiting requests keep their order. */
export class TokenBucket {
  #limit: RateLimit
  #tokens: number
  #filledAt = performance.now()
  readonly #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(limit: RateLimit) {
    this.#limit = limit
    this.#tokens = limit.burst
  }

  /** Takes effect at once, for those who wait too. */
  setLimit(limit: RateLimit): void {
    this.#fill()
    this.#limit = limit
    this.#tokens = Math.min(this.#tokens, limit.burst)
    this.#serve()
  }

  /** Waits for its turn and answers how many milliseconds that took. Rejects with the signal's reason when aborted. */
  async take(signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted()
    if (this.#waiting.length === 0 && this.#tryTake()) return 0
    const since = performance.now()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1)
      reject(signal?.reason)
    }
    this.#waiting.push(resolve)
    signal?.addEventListener('abort', leave, { once: true })
    this.#serve()
    await promise
    signal?.removeEventListener('abort', leave)
    return performance.now() - since
  }

  #tryTake(): boolean {
    if (this.#limit.qps === 0) return true
    this.#fill()
    // Sums of fractions may end just below the whole number they stand for.
    if (this.#tokens < 1 - 1e-9) return false
    this.#tokens -= 1
    return true
  }

  #serve(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0) {
      if (!this.#tryTake()) {
        this.#timer = setTimeout(() => this.#serve(), Math.ceil(((1 - this.#tokens) / this.#limit.qps) * 1000))
        return
      }
      this.#waiting.shift()?.()
    }
  }

  #fill(): void {
    const now = performance.now()
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#limit.qps)
    this.#filledAt = now
  }
}
