import { Failure } from './failure.ts'

/** Hears what happens while steps run. */
export type Progress = {
  /** A step begins; `hint` says why it may take long. */
  started?(title: string, hint?: string): void
  /** A step is done; `note` says what it found or made. */
  done?(title: string, seconds: number, note?: string): void
  failed?(title: string, seconds: number): void
}

/** One thing to do. It must be safe to run again after any interruption. */
export type Step = {
  /** What is true once the step is done: `etcd ready`. */
  readonly title: string
  /** Said at the start of a step that takes long. */
  readonly hint?: string
  /** Does it; the returned text is shown behind the title. */
  run(): Promise<string | void>
}

/**
 * Runs steps one after the other and stops at the first that fails.
 * @throws Failure, with the step's title in it
 */
export async function runSteps(steps: readonly Step[], progress: Progress = {}): Promise<void> {
  for (const step of steps) {
    const begin = performance.now()
    const seconds = () => (performance.now() - begin) / 1000
    progress.started?.(step.title, step.hint)
    try {
      const note = await step.run()
      progress.done?.(step.title, seconds(), note || undefined)
    } catch (error) {
      progress.failed?.(step.title, seconds())
      throw atStep(step.title, error)
    }
  }
}

function atStep(title: string, error: unknown): unknown {
  if (error instanceof Failure) error.step ??= title
  return error
}

/** Progress as lines on a terminal or in a log: `ok  etcd ready (1.2 s)`. */
export function progressLines(write: (text: string) => void, terminal: boolean): Progress {
  const clear = terminal ? '\r\x1b[K' : ''
  return {
    started(title, hint) {
      if (terminal) write(`..  ${title}${hint ? ` - ${hint}` : ''}`)
      else if (hint) write(`..  ${title} - ${hint}\n`)
    },
    done: (title, seconds, note) => write(`${clear}ok  ${title}${note ? `: ${note}` : ''} (${seconds.toFixed(1)} s)\n`),
    failed: (title, seconds) => write(`${clear}--  ${title} failed (${seconds.toFixed(1)} s)\n`),
  }
}
