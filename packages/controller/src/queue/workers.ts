import type { Logger } from '@kubevirt-ts/service'
import { traced } from './trace.ts'
import { restOfTurn } from './turns.ts'
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
  /** A reconcile that takes longer is logged with its steps; 1 s unless told. */
  readonly slowMs?: number
}

/** Runs until the signal is aborted and the keys at work are finished. */
export async function runWorkers(options: WorkerOptions): Promise<void> {
  const { queue, workers, signal } = options
  const shutDown = () => queue.shutDown()
  if (signal.aborted) shutDown()
  signal.addEventListener('abort', shutDown, { once: true })
  await Promise.all(Array.from({ length: workers }, () => work(options)))
}

async function work(options: WorkerOptions): Promise<void> {
  const { queue } = options
  for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
    await reconcileOnce(key, options)
    queue.done(key)
    const rest = restOfTurn()
    if (rest !== undefined) await rest
  }
}

async function reconcileOnce(key: string, options: WorkerOptions): Promise<void> {
  const { queue, log, slowMs = 1000 } = options
  const since = performance.now()
  const steps = await traced(() => attempt(key, options))
  const milliseconds = Math.round(performance.now() - since)
  if (milliseconds >= slowMs) log.warn({ key, queue: queue.name, milliseconds, steps }, 'reconcile took long')
}

async function attempt(key: string, { queue, reconcile, log }: WorkerOptions): Promise<void> {
  try {
    const result = await reconcile(key)
    queue.forget(key)
    if (result?.requeueAfter !== undefined) queue.addAfter(key, result.requeueAfter)
  } catch (error) {
    log.error({ error, key, queue: queue.name, retries: queue.retries(key) }, 'reconcile failed, will be repeated')
    queue.addRateLimited(key)
  }
}
