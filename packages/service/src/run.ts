import { createLogger, type Logger } from './log.ts'

export interface RunningService {
  /** Ends what was started, in the order that loses nothing. */
  stop(): Promise<void>
  /** Settles when the service ends by itself; a rejection (lost leadership, a broken listener) makes the exit code 1. */
  readonly done?: Promise<void>
}

/** The part of `process` that a service lives in; tests replace it. */
export interface ServiceProcess {
  on(
    event: 'SIGTERM' | 'SIGINT' | 'unhandledRejection' | 'uncaughtException',
    listener: (value: unknown) => void,
  ): unknown
  exit(code: number): void
}

export interface RunOptions {
  readonly log?: Logger
  /** How long an orderly stop may take, in milliseconds; 30 s unless told. */
  readonly stopTimeoutMs?: number
  readonly process?: ServiceProcess
}

type End = { readonly code: number; readonly why: string; readonly error?: unknown }

/**
 * Runs a service until SIGTERM or SIGINT, then aborts the signal, stops it and exits with 0. A failed start, an error
 * that nobody handled, a `done` that rejects or a stop that takes too long exits with 1. A second signal exits at once.
 */
export async function runService(
  name: string,
  start: (signal: AbortSignal) => Promise<RunningService>,
  options: RunOptions = {},
): Promise<void> {
  const { log = createLogger({ component: name }), stopTimeoutMs = 30_000, process: host = process } = options
  const abort = new AbortController()
  const ended = endOf(host)
  const { service, end } = await startOrEnd(start, abort.signal, ended)
  const { code, why, error } = end ?? (await Promise.race([ended, doneOf(service)]))
  if (error === undefined) log.info({ cause: why }, 'stopping')
  else log.fatal({ error }, why)
  abort.abort()
  const stopped = await stopWithin(service, stopTimeoutMs, log)
  host.exit(stopped ? code : 1)
}

/** The first signal or unhandled error. */
function endOf(host: ServiceProcess): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>()
  let signals = 0
  const onSignal = (signal: string) => () => {
    signals += 1
    if (signals > 1) host.exit(1)
    resolve({ code: 0, why: signal })
  }
  host.on('SIGTERM', onSignal('SIGTERM'))
  host.on('SIGINT', onSignal('SIGINT'))
  const onError = (error: unknown) => resolve({ code: 1, why: 'an error was not handled', error })
  host.on('unhandledRejection', onError)
  host.on('uncaughtException', onError)
  return promise
}

async function startOrEnd(
  start: (signal: AbortSignal) => Promise<RunningService>,
  signal: AbortSignal,
  ended: Promise<End>,
): Promise<{ service?: RunningService; end?: End }> {
  const starting = start(signal).then(
    (service) => ({ service }),
    (error: unknown) => ({ end: { code: 1, why: 'the service could not start', error } }),
  )
  return Promise.race([starting, ended.then((end) => ({ end }))])
}

async function doneOf(service: RunningService | undefined): Promise<End> {
  // Without `done` only a signal or an error ends the service.
  if (service?.done === undefined) return new Promise(() => undefined)
  try {
    await service.done
    return { code: 0, why: 'the service is done' }
  } catch (error) {
    return { code: 1, why: 'the service failed', error }
  }
}

async function stopWithin(service: RunningService | undefined, milliseconds: number, log: Logger): Promise<boolean> {
  if (service === undefined) return true
  const { promise: timeout, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => {
    log.error({ milliseconds }, 'stopping took too long')
    resolve(false)
  }, milliseconds)
  const stopping = service.stop().then(
    () => true,
    (error: unknown) => {
      log.error({ error }, 'stopping failed')
      return false
    },
  )
  const stopped = await Promise.race([stopping, timeout])
  clearTimeout(timer)
  return stopped
}
