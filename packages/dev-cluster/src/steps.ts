import { Failure } from './failure.ts'

/** Hears what happens while steps run. */
export type Progress = {
  /** A step begins; `hint` says why it may take long. */
  started?(title: string, hint?: string): void
  /** A step is done; `note` says what it found or made. */
  done?(title: string, seconds: number, note?: string): void
  failed?(title: string, seconds: number): void
  /** A step was told to end, as something else has failed. */
  ended?(title: string, seconds: number): void
}

/** One thing to do. It must be safe to run again after any interruption. */
export type Step = {
  /** What is true once the step is done: `etcd ready`. */
  readonly title: string
  /** Said at the start of a step that takes long. */
  readonly hint?: string
  /** Does it; the returned text is shown behind the title. A step that takes long ends early when the signal says so. */
  run(signal: AbortSignal): Promise<string | void>
}

const neverEnded = new AbortController().signal

/**
 * Runs steps one after the other and stops at the first that fails, or before the next one once the signal says so.
 * @throws Failure, with the step's title in it; the signal's reason
 */
export async function runSteps(
  steps: readonly Step[],
  progress: Progress = {},
  signal: AbortSignal = neverEnded,
): Promise<void> {
  for (const step of steps) {
    signal.throwIfAborted()
    const begin = performance.now()
    const seconds = () => (performance.now() - begin) / 1000
    progress.started?.(step.title, step.hint)
    try {
      const note = await step.run(signal)
      progress.done?.(step.title, seconds(), note || undefined)
    } catch (error) {
      if (signal.aborted) progress.ended?.(step.title, seconds())
      else progress.failed?.(step.title, seconds())
      throw atStep(step.title, error)
    }
  }
}

function atStep(title: string, error: unknown): unknown {
  if (error instanceof Failure) error.step ??= title
  return error
}
