/** Runs tasks one at a time, in the order they came, each when the one before it has ended, however that ended. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve()
  #held = 0

  /** No task runs or waits. */
  get isFree(): boolean {
    return this.#held === 0
  }

  /** Settles as the task does; the tasks behind it are kept out until then. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    this.#held++
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    try {
      return await result
    } finally {
      this.#held--
    }
  }
}

/** A lane for each key, as long as it is used: tasks of one key follow each other, others go on beside them. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()

  /** How many keys have tasks. */
  get size(): number {
    return this.#lanes.size
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? new Lane()
    this.#lanes.set(key, lane)
    try {
      return await lane.run(task)
    } finally {
      if (lane.isFree) this.#lanes.delete(key)
    }
  }
}
