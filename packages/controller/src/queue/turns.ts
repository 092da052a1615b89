// Not the globals: a test's clock that stands still must not stop the workers.
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers'

/** So long may keys keep everything else waiting, in milliseconds. */
const turnMs = 10

let turn: { readonly began: number; readonly ended: Promise<void> } | undefined

/**
 * Work on a key that finds nothing to do never waits for anything, and thousands of such keys would follow one another
 * while requests are not sent, answers not read and timers not run. Workers ask here before each key.
 * @returns a promise to wait for where the process has to look after the rest first
 */
export function restOfTurn(): Promise<void> | undefined {
  if (turn !== undefined) return performance.now() - turn.began < turnMs ? undefined : turn.ended
  const { promise, resolve } = Promise.withResolvers<void>()
  turn = { began: performance.now(), ended: promise }
  setImmediate(() => {
    turn = undefined
    resolve()
  })
  return undefined
}
