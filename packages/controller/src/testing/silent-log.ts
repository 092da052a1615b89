import { createLogger, type Logger } from '@kubevirt-ts/service'

/** A logger whose lines go nowhere. */
export function silentLog(): Logger {
  return createLogger({ component: 'test', destination: { write: () => undefined } })
}
