const firstMs = 500
const longestMs = 30_000

/** Waits that double from 0.5 s to 30 s, each shortened at random by up to a half so that many clients spread out. */
export class Backoff {
  #next = 0

  /** The next wait in milliseconds, `limitMs` at most; the first after a success is none. */
  next(limitMs = longestMs): number {
    const wait = Math.min(this.#next, limitMs)
    this.#next = wait === 0 ? firstMs : Math.min(wait * 2, limitMs)
    return wait * (0.5 + Math.random() / 2)
  }

  reset(): void {
    this.#next = 0
  }
}
