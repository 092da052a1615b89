import { pino, type Logger as PinoLogger } from 'pino'

/** What a line needs to be written; children made with `child({…})` carry the object's name on every line. */
export type Logger = Pick<PinoLogger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: Record<string, unknown>): Logger
}

export interface LoggerOptions {
  readonly component: string
  /** KubeVirt's `-v`: 2 is info and the default. */
  readonly verbosity?: number
  /** Where lines go; standard output when absent. */
  readonly destination?: { write(line: string): void }
}

interface Threshold {
  minimum: number
}

/** Every logger made from one `createLogger` shares a threshold, so that a change reaches children made before it. */
const thresholdKey = Symbol('threshold')

/** A logger that writes one JSON object a line with the fields level, timestamp (RFC 3339), component and msg. */
export function createLogger({ component, verbosity = 2, destination }: LoggerOptions): Logger {
  const threshold: Threshold = { minimum: minimumFor(verbosity) }
  const logger = pino(
    {
      base: { component },
      level: 'trace',
      messageKey: 'msg',
      errorKey: 'error',
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
      hooks: {
        logMethod(args, method, level) {
          if (level >= threshold.minimum) method.apply(this, args)
        },
      },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  )
  return Object.assign(logger, { [thresholdKey]: threshold })
}

/** Sets the verbosity of this logger, its parents and its children: up to 2 info, 3 and 4 debug, from 5 on trace. */
export function setVerbosity(logger: Logger, verbosity: number): void {
  const { [thresholdKey]: threshold } = logger as { [thresholdKey]?: Threshold }
  if (threshold !== undefined) threshold.minimum = minimumFor(verbosity)
}

function minimumFor(verbosity: number): number {
  if (verbosity >= 5) return 10
  return verbosity >= 3 ? 20 : 30
}

/** Errors are one short object: the stack only tells something new where the error has no reason word. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { reason, code } = error as { reason?: unknown; code?: unknown }
  return {
    message: error.message,
    ...(reason === undefined ? {} : { reason }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined && code === undefined ? { stack: error.stack } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
