export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** mulberry32: the same seed gives the same clusters everywhere. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => [this.next(), value] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, value]) => value)
  }
}
