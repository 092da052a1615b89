/** What a failed step can say beside its message. */
export type FailureDetails = {
  /** Command line that failed. */
  readonly command?: string
  /** Last lines that the command or the program wrote. */
  readonly output?: string
  /** File with everything it wrote. */
  readonly log?: string
  /** What the user can do about it. */
  readonly remedy?: string
  readonly cause?: unknown
}

/** An error with a stable reason code; everything a user needs is in it. */
export class Failure extends Error {
  readonly reason: string
  readonly details: FailureDetails
  /** Title of the step that failed; set by the step runner. */
  step: string | undefined

  constructor(reason: string, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'Failure'
    this.reason = reason
    this.details = details
  }
}

const indent = (text: string): string => text.replace(/^/gm, '    ')

/** The failure as lines for a terminal: what, where, which command, its last output, the log, the remedy. */
export function describeFailure(error: unknown): string {
  const failure = error instanceof Failure ? error : new Failure('Internal', messageOf(error))
  const { command, output, log, remedy } = failure.details
  return [
    `error[${failure.reason}]: ${failure.message}`,
    failure.step && `  step:    ${failure.step}`,
    command && `  command: ${command}`,
    output?.trim() && `  output:\n${indent(output.trim())}`,
    log && `  log:     ${log}`,
    remedy && `  remedy:  ${remedy}`,
  ]
    .filter(Boolean)
    .join('\n')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
