/** A binary heap: the first by `less` is at hand, any item can be removed by its key. */
export class Heap<T> {
  readonly #keyOf: (item: T) => string
  readonly #less: (a: T, b: T) => boolean
  readonly #items: T[] = []
  readonly #index = new Map<string, number>()

  constructor(keyOf: (item: T) => string, less: (a: T, b: T) => boolean) {
    this.#keyOf = keyOf
    this.#less = less
  }

  get size(): number {
    return this.#items.length
  }

  get(key: string): T | undefined {
    const index = this.#index.get(key)
    return index === undefined ? undefined : this.#items[index]
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  /** Replaces an item with the same key. */
  push(item: T): void {
    this.remove(this.#keyOf(item))
    this.#items.push(item)
    this.#index.set(this.#keyOf(item), this.#items.length - 1)
    this.#up(this.#items.length - 1)
  }

  pop(): T | undefined {
    const [first] = this.#items
    return first === undefined ? undefined : this.remove(this.#keyOf(first))
  }

  remove(key: string): T | undefined {
    const index = this.#index.get(key)
    if (index === undefined) return undefined
    const item = this.#items[index]!
    this.#index.delete(key)
    const last = this.#items.pop()!
    if (index < this.#items.length) {
      this.#set(index, last)
      this.#up(index)
      this.#down(this.#index.get(this.#keyOf(last))!)
    }
    return item
  }

  #set(index: number, item: T): void {
    this.#items[index] = item
    this.#index.set(this.#keyOf(item), index)
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a]!
    this.#set(a, this.#items[b]!)
    this.#set(b, item)
  }

  #up(from: number): void {
    for (let index = from; index > 0;) {
      const parent = (index - 1) >> 1
      if (!this.#less(this.#items[index]!, this.#items[parent]!)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  #down(from: number): void {
    for (let index = from; ;) {
      let first = index
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < this.#items.length && this.#less(this.#items[child]!, this.#items[first]!)) first = child
      }
      if (first === index) return
      this.#swap(index, first)
      index = first
    }
  }
}
