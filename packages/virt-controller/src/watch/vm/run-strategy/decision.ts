import type { RunStrategy } from '../seen.ts'

/** What a run strategy wants next. */
export interface Decision {
  readonly vmi: 'start' | 'stop' | 'leave'
  /** The run strategy that replaces the one in the spec. */
  readonly flipTo?: RunStrategy
  /** A finished guest is to be started again: recorded as a request, so that it survives a restart. */
  readonly enqueueStart?: boolean
}

export const leave: Decision = { vmi: 'leave' }
export const start: Decision = { vmi: 'start' }
export const stop: Decision = { vmi: 'stop' }
