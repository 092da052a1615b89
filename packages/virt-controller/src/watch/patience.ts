/**
 * Some states last a moment only: a VM that is Running but not yet Ready, a guest that ends while it is deleted. Telling
 * each costs a write that the next one replaces at once. They are told when they last.
 */
export class Patience {
  readonly #since = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * Of the milliseconds that the state of this key may take to pass, how many are left; 0 once it has lasted. The first
   * call counts from now.
   */
  left(key: string, milliseconds: number): number {
    const now = this.#now()
    const since = this.#since.get(key) ?? now
    this.#since.set(key, since)
    return Math.max(0, since + milliseconds - now)
  }

  /** The state has passed, or was told. */
  forget(key: string): void {
    this.#since.delete(key)
  }
}
