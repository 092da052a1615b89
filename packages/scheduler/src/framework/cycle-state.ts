import type { Snapshot } from '@kubevirt-ts/scheduling'

interface Cloneable {
  clone(): unknown
}

/** What plugins remember of one pod between the points of one cycle. Keys are theirs to choose; begin with the name. */
export class CycleState {
  /** The cluster as this cycle sees it. */
  readonly snapshot: Snapshot
  /** Plugins whose PreFilter or PreScore said Skip. */
  readonly skipFilter: Set<string>
  readonly skipScore: Set<string>
  readonly #values: Map<string, unknown>

  constructor(snapshot: Snapshot, from?: CycleState) {
    this.snapshot = snapshot
    this.skipFilter = new Set(from?.skipFilter)
    this.skipScore = new Set(from?.skipScore)
    this.#values = new Map([...(from === undefined ? [] : from.#values)].map(([key, value]) => [key, cloned(value)]))
  }

  read<T>(key: string): T | undefined {
    return this.#values.get(key) as T | undefined
  }

  write(key: string, value: unknown): void {
    this.#values.set(key, value)
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  /** For trying what if: values with a `clone` method are cloned, others are shared and must not be changed. */
  clone(): CycleState {
    return new CycleState(this.snapshot, this)
  }
}

function cloned(value: unknown): unknown {
  return typeof (value as Partial<Cloneable> | null)?.clone === 'function' ? (value as Cloneable).clone() : value
}
