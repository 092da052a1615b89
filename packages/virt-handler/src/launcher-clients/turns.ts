/** Lets pieces of work on one thing follow each other, in the order in which they came; others go on beside them. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs the work when all that came before it for this key has ended, however that ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
