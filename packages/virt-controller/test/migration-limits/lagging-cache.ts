import type { KubeObject } from '@kubevirt-ts/api'
import { keyOf, type Lister } from '@kubevirt-ts/controller'

/** A cache that shows what the server held when it was last brought up to date. */
export class LaggingCache<T extends KubeObject> implements Lister<T> {
  #objects: readonly T[] = []
  readonly #read: () => readonly T[]
  readonly #indexers: Readonly<Record<string, (object: T) => readonly string[]>>
  readonly #onChange: (before: readonly T[], after: readonly T[]) => void

  constructor(
    read: () => readonly T[],
    indexers: Readonly<Record<string, (object: T) => readonly string[]>> = {},
    onChange: (before: readonly T[], after: readonly T[]) => void = () => undefined,
  ) {
    this.#read = read
    this.#indexers = indexers
    this.#onChange = onChange
    this.update()
  }

  update(): void {
    const before = this.#objects
    this.#objects = this.#read()
    this.#onChange(before, this.#objects)
  }
  get(key: string): T | undefined {
    return this.#objects.find((object) => keyOf(object) === key)
  }
  list(): T[] {
    return [...this.#objects]
  }
  byIndex(index: string, value: string): T[] {
    return this.#objects.filter((object) => this.#indexers[index]?.(object).includes(value))
  }
}
