import { createContext, Script } from 'node:vm'
import { failure, type Status } from './status.ts'
import type { Maybe } from './plugin.ts'

/** A plugin that came from outside threw, or did not answer in time. */
export class PluginFailure extends Error {
  readonly status: Status

  constructor(plugin: string, point: string, cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause)
    super(`plugin ${plugin} failed at ${point}: ${message}`, { cause })
    this.name = 'PluginFailure'
    this.status = failure(this, plugin)
  }
}

/** How plugins are called. */
export interface Guard {
  call<T>(plugin: string, point: string, work: () => Maybe<T>): Maybe<T>
}

/** Our own plugins: a throw becomes a PluginFailure, a promise is waited for. */
export const trusting: Guard = {
  call(plugin, point, work) {
    try {
      const result = work()
      return result instanceof Promise
        ? result.catch((error: unknown) => Promise.reject(new PluginFailure(plugin, point, error)))
        : result
    } catch (error) {
      throw new PluginFailure(plugin, point, error)
    }
  },
}

const room = createContext({ work: undefined }) as { work: (() => unknown) | undefined }
const script = new Script('work()')

/**
 * Plugins from outside: what loops without end is interrupted, and a promise that never settles is given up, after
 * `timeoutMs`. The engine's interrupt only works through a script with a time limit, hence the detour.
 */
export function limiting(timeoutMs: number): Guard {
  return {
    call(plugin, point, work) {
      try {
        const result = interruptible(work, timeoutMs)
        return result instanceof Promise ? inTime(result, { plugin, point, timeoutMs }) : result
      } catch (error) {
        throw new PluginFailure(plugin, point, isTimeout(error) ? noAnswer(timeoutMs) : error)
      }
    },
  }
}

function interruptible<T>(work: () => T, timeoutMs: number): T {
  const before = room.work
  room.work = work
  try {
    return script.runInContext(room, { timeout: timeoutMs }) as T
  } finally {
    room.work = before
  }
}

async function inTime<T>(
  work: Promise<T>,
  { plugin, point, timeoutMs }: { plugin: string; point: string; timeoutMs: number },
): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(noAnswer(timeoutMs)), timeoutMs)
  try {
    return await Promise.race([work, timeout])
  } catch (error) {
    throw new PluginFailure(plugin, point, error)
  } finally {
    clearTimeout(timer)
  }
}

function noAnswer(timeoutMs: number): Error {
  return new Error(`no answer within ${timeoutMs} ms`)
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
