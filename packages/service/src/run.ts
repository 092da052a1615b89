import type { Logger } from './log.ts'

export interface RunningService {
  stop(): Promise<void>
  /** Settles when the service ends by itself; a rejection (lost leadership, a broken listener) makes the exit code 1. */
  readonly done?: Promise<void>
}

export interface RunOptions {
  readonly log?: Logger
  /** How long an orderly stop may take, in milliseconds; 30 s unless told. */
  readonly stopTimeoutMs?: number
}

/** Runs a service until SIGTERM or SIGINT, then aborts the signal and stops it; exits with 0, or 1 after a failure. */
export async function runService(
  name: string,
  start: (signal: AbortSignal) => Promise<RunningService>,
  options: RunOptions = {},
): Promise<void> {
  void options
  throw new Error(`not written yet: ${name} ${start.name}`)
}
