import { statusOf, type Status } from './status.ts'

/** A pod that has a node but waits for permission to be bound. */
export interface WaitingPod {
  readonly uid: string
  /** Plugins that have not allowed it yet. */
  readonly pending: readonly string[]
  allow(plugin: string): void
  reject(plugin: string, message: string): void
}

/** Pods whose Permit said Wait. Any plugin may look through them. */
export class WaitingPods {
  readonly #pods = new Map<string, Waiting>()

  get(uid: string): WaitingPod | undefined {
    return this.#pods.get(uid)
  }

  list(): readonly WaitingPod[] {
    return [...this.#pods.values()]
  }

  /** Settles when all plugins allowed the pod, one rejected it, or one ran out of its time. */
  async wait(uid: string, timeouts: ReadonlyMap<string, number>): Promise<Status> {
    const waiting = new Waiting(uid, timeouts)
    this.#pods.set(uid, waiting)
    try {
      return await waiting.done
    } finally {
      this.#pods.delete(uid)
    }
  }
}

class Waiting implements WaitingPod {
  readonly uid: string
  readonly done: Promise<Status>
  readonly #timers: Map<string, NodeJS.Timeout>
  readonly #settle: (status: Status) => void

  constructor(uid: string, timeouts: ReadonlyMap<string, number>) {
    this.uid = uid
    const { promise, resolve } = Promise.withResolvers<Status>()
    this.done = promise
    this.#settle = resolve
    this.#timers = new Map(
      [...timeouts].map(([plugin, milliseconds]) => [
        plugin,
        setTimeout(
          () => this.reject(plugin, `rejected due to timeout after waiting ${milliseconds}ms at plugin ${plugin}`),
          milliseconds,
        ),
      ]),
    )
  }

  get pending(): readonly string[] {
    return [...this.#timers.keys()]
  }

  allow(plugin: string): void {
    clearTimeout(this.#timers.get(plugin))
    this.#timers.delete(plugin)
    if (this.#timers.size === 0) this.#settle(statusOf('Success'))
  }

  reject(plugin: string, message: string): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#settle({ ...statusOf('Unschedulable', message), plugin })
  }
}
