import type { Logger } from '@kubevirt-ts/service'
import type { WorkQueue } from './work-queue.ts'

export interface ReconcileResult {
  /** Milliseconds until the key is due again. */
  readonly requeueAfter?: number
}

/** Moves the object of a key one step nearer to its spec. A rejection is logged, counted and retried with back-off. */
export type Reconcile = (key: string) => Promise<ReconcileResult | void>

export interface WorkerOptions {
  readonly queue: WorkQueue
  readonly workers: number
  readonly reconcile: Reconcile
  readonly log: Logger
  readonly signal: AbortSignal
  /** A reconcile that takes longer is logged; 1 s unless told. */
  readonly slowMs?: number
}

/** Runs until the signal is aborted and the keys at work are finished. */
export async function runWorkers({ queue }: WorkerOptions): Promise<void> {
  throw new Error(`not written yet: ${queue.name}`)
}
