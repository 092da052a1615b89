import type { KubeObject } from '@kubevirt-ts/api'
import { keyOf } from '../key.ts'

export type Indexers<T> = Readonly<Record<string, (object: T) => readonly string[]>>

/** Objects by key and by index. Reading never copies, writing keeps every index true. */
export class Store<T extends KubeObject> {
  readonly #objects = new Map<string, T>()
  readonly #indexers: Indexers<T>
  readonly #indexes = new Map<string, Map<string, Set<string>>>()

  constructor(indexers: Indexers<T> = {}) {
    this.#indexers = indexers
    for (const name of Object.keys(indexers)) this.#indexes.set(name, new Map())
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  keys(): string[] {
    return [...this.#objects.keys()]
  }

  list(): T[] {
    return [...this.#objects.values()]
  }

  /** Throws for an index that was never declared: a misspelt name would look like an empty answer. */
  byIndex(index: string, value: string): T[] {
    const values = this.#indexes.get(index)
    if (values === undefined) {
      throw new Error(`there is no index "${index}"; there are: ${[...this.#indexes.keys()].join(', ') || 'none'}`)
    }
    return [...(values.get(value) ?? [])].map((key) => this.#objects.get(key)!)
  }

  set(object: T): void {
    const key = keyOf(object)
    this.#unindex(key)
    this.#objects.set(key, object)
    for (const [name, valuesOf] of Object.entries(this.#indexers)) {
      const values = this.#indexes.get(name)!
      for (const value of valuesOf(object)) {
        const keys = values.get(value)
        if (keys === undefined) values.set(value, new Set([key]))
        else keys.add(key)
      }
    }
  }

  delete(key: string): void {
    this.#unindex(key)
    this.#objects.delete(key)
  }

  #unindex(key: string): void {
    const object = this.#objects.get(key)
    if (object === undefined) return
    for (const [name, valuesOf] of Object.entries(this.#indexers)) {
      const values = this.#indexes.get(name)!
      for (const value of valuesOf(object)) {
        const keys = values.get(value)
        keys?.delete(key)
        if (keys?.size === 0) values.delete(value)
      }
    }
  }
}
