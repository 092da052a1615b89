import type { Registry } from '@kubevirt-ts/service'
import type { Priority } from './priority.ts'

export interface WorkQueueOptions {
  /** The value of the metrics' label `name`, such as `virt-controller-vmi`. */
  readonly name: string
  readonly registry?: Registry
}

export interface AddOptions {
  readonly priority?: Priority
}

/**
 * A queue of keys. A key waits at most once, and is never handed out twice at the same time: when it is added while
 * it is worked on it comes again afterwards.
 */
export class WorkQueue {
  readonly name: string

  constructor({ name }: WorkQueueOptions) {
    this.name = name
  }

  get length(): number {
    return 0
  }

  add(key: string, options: AddOptions = {}): void {
    throw new Error(`not written yet: ${key} ${options.priority}`)
  }

  /** The earliest of several waits for a key wins. */
  addAfter(key: string, milliseconds: number, options: AddOptions = {}): void {
    throw new Error(`not written yet: ${key} ${milliseconds} ${options.priority}`)
  }

  /** After 5 ms, doubled with each call until `forget`, 1000 s at most. */
  addRateLimited(key: string, options: AddOptions = {}): void {
    throw new Error(`not written yet: ${key} ${options.priority}`)
  }

  /** The key did well: its next back-off starts anew. */
  forget(key: string): void {
    throw new Error(`not written yet: ${key}`)
  }

  /** How often the key was rate limited since it was forgotten. */
  retries(key: string): number {
    throw new Error(`not written yet: ${key}`)
  }

  /** The next key, as soon as there is one; undefined after `shutDown`. `done` must follow. */
  next(): Promise<string | undefined> {
    throw new Error('not written yet')
  }

  done(key: string): void {
    throw new Error(`not written yet: ${key}`)
  }

  /** Nothing is taken in any more; waiting keys are dropped, keys being worked on may finish. */
  shutDown(): void {
    throw new Error('not written yet')
  }
}
