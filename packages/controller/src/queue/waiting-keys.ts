import type { Priority } from './priority.ts'

interface Waiting {
  readonly priority: Priority
  readonly since: number
}

/** Keys that wait for a worker: the highest priority first, within one priority the longest waiting. */
export class WaitingKeys {
  readonly #keys = new Map<string, Waiting>()
  /** A Map keeps the order of insertion, so each level is a queue from which any key can be taken out. */
  readonly #levels = new Map<Priority, Set<string>>()

  get size(): number {
    return this.#keys.size
  }

  /** A key that waits already keeps its place, unless the new priority is higher. Answers whether it is new. */
  add(key: string, priority: Priority): boolean {
    const known = this.#keys.get(key)
    if (known !== undefined && known.priority >= priority) return false
    if (known !== undefined) this.#leave(key, known.priority)
    this.#keys.set(key, { priority, since: known?.since ?? performance.now() })
    const level = this.#levels.get(priority)
    if (level === undefined) this.#levels.set(priority, new Set([key]))
    else level.add(key)
    return known === undefined
  }

  /** The next key and since when it waited. */
  take(): { readonly key: string; readonly since: number } | undefined {
    if (this.#keys.size === 0) return undefined
    const priority = Math.max(...this.#levels.keys())
    const [key] = this.#levels.get(priority)!
    const { since } = this.#keys.get(key!)!
    this.#leave(key!, priority)
    this.#keys.delete(key!)
    return { key: key!, since }
  }

  clear(): void {
    this.#keys.clear()
    this.#levels.clear()
  }

  #leave(key: string, priority: Priority): void {
    const level = this.#levels.get(priority)
    level?.delete(key)
    if (level?.size === 0) this.#levels.delete(priority)
  }
}
