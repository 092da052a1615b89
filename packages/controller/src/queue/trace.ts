import { AsyncLocalStorage } from 'node:async_hooks'

/** One step of the work on a key: what, when since its begin, and for how long, in milliseconds. */
export interface TraceStep {
  readonly what: string
  readonly at: number
  readonly milliseconds: number
}

interface Trace {
  readonly since: number
  readonly steps: TraceStep[]
}

/** More would not be read, and one key must not fill the memory. */
const maxSteps = 100

const traces = new AsyncLocalStorage<Trace>()

/** Runs the work on a key; the steps that are noted meanwhile are the key's own, however many keys are at work. */
export async function traced(work: () => Promise<void>): Promise<readonly TraceStep[]> {
  const trace: Trace = { since: performance.now(), steps: [] }
  await traces.run(trace, work)
  return trace.steps
}

/** Notes a step that has just ended; outside of the work on a key nothing is noted. */
export function noteStep(what: string, milliseconds: number): void {
  const trace = traces.getStore()
  if (trace === undefined || trace.steps.length >= maxSteps) return
  const at = Math.max(0, Math.round(performance.now() - trace.since - milliseconds))
  trace.steps.push({ what, at, milliseconds: Math.round(milliseconds) })
}
