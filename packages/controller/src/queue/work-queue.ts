import type { Registry } from '@kubevirt-ts/service'
import { queueMetrics, type QueueMetrics } from './metrics.ts'
import { priority as levels, type Priority } from './priority.ts'
import { FailureBackoff } from './rate-limiter.ts'
import { WaitingKeys } from './waiting-keys.ts'

export interface WorkQueueOptions {
  /** The value of the metrics' label `name`, such as `virt-controller-vmi`. */
  readonly name: string
  readonly registry?: Registry
}

export interface AddOptions {
  readonly priority?: Priority
}

interface Delayed {
  readonly dueAt: number
  readonly timer: NodeJS.Timeout
}

/** The longest wait that a timer can count. */
const maxTimerMs = 2 ** 31 - 1

/**
 * A queue of keys. A key waits at most once, and is never handed out twice at the same time: when it is added while
 * it is worked on it comes again afterwards.
 */
export class WorkQueue {
  readonly name: string
  readonly #waiting = new WaitingKeys()
  /** Keys being worked on, since when. */
  readonly #working = new Map<string, number>()
  /** Added while being worked on. */
  readonly #dirty = new Map<string, Priority>()
  readonly #delayed = new Map<string, Delayed>()
  readonly #failures = new FailureBackoff()
  readonly #idleWorkers: ((key: string | undefined) => void)[] = []
  readonly #metrics: QueueMetrics
  #shutDown = false

  constructor({ name, registry }: WorkQueueOptions) {
    this.name = name
    this.#metrics = queueMetrics(name, registry, { startTimes: () => [...this.#working.values()] })
  }

  /** Keys that are ready for a worker. */
  get length(): number {
    return this.#waiting.size
  }

  add(key: string, { priority = levels.normal }: AddOptions = {}): void {
    if (this.#shutDown) return
    if (this.#working.has(key)) {
      const known = this.#dirty.get(key)
      if (known === undefined) this.#metrics.added()
      this.#dirty.set(key, Math.max(priority, known ?? priority))
      return
    }
    if (this.#waiting.add(key, priority)) this.#metrics.added()
    this.#handOut()
  }

  /** The earliest of several waits for a key wins. */
  addAfter(key: string, milliseconds: number, options: AddOptions = {}): void {
    if (this.#shutDown) return
    if (milliseconds <= 0) return this.add(key, options)
    const dueAt = performance.now() + milliseconds
    const known = this.#delayed.get(key)
    if (known !== undefined && known.dueAt <= dueAt) return
    clearTimeout(known?.timer)
    const due = () => {
      this.#delayed.delete(key)
      this.add(key, options)
    }
    const timer = setTimeout(due, Math.min(milliseconds, maxTimerMs))
    timer.unref()
    this.#delayed.set(key, { dueAt, timer })
  }

  /** After 5 ms, doubled with each call until `forget`, 1000 s at most; later where many keys fail. */
  addRateLimited(key: string, options: AddOptions = {}): void {
    this.#metrics.retried()
    this.addAfter(key, this.#failures.next(key), options)
  }

  /** The key did well: its next back-off starts anew. */
  forget(key: string): void {
    this.#failures.forget(key)
  }

  /** How often the key was rate limited since it was forgotten. */
  retries(key: string): number {
    return this.#failures.retries(key)
  }

  /** The next key, as soon as there is one; undefined after `shutDown`. `done` must follow. */
  next(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#idleWorkers.push(resolve)
    this.#handOut()
    return promise
  }

  /** The worker has finished with the key, well or not. */
  done(key: string): void {
    const since = this.#working.get(key)
    if (since === undefined) return
    this.#working.delete(key)
    this.#metrics.worked((performance.now() - since) / 1000)
    const again = this.#dirty.get(key)
    if (again === undefined) return
    this.#dirty.delete(key)
    if (!this.#shutDown) this.#waiting.add(key, again)
    this.#handOut()
  }

  /** Nothing is taken in any more; waiting keys are dropped, keys being worked on may finish. */
  shutDown(): void {
    this.#shutDown = true
    this.#waiting.clear()
    this.#dirty.clear()
    for (const { timer } of this.#delayed.values()) clearTimeout(timer)
    this.#delayed.clear()
    this.#handOut()
  }

  #handOut(): void {
    while (this.#idleWorkers.length > 0) {
      const next = this.#waiting.take()
      if (next === undefined && !this.#shutDown) break
      if (next !== undefined) {
        this.#working.set(next.key, performance.now())
        this.#metrics.waited((performance.now() - next.since) / 1000)
      }
      this.#idleWorkers.shift()!(next?.key)
    }
    this.#metrics.depth(this.#waiting.size)
  }
}
