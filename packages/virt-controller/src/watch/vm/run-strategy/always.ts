import { isFinal, stopRequested } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { leave, start, stop } from './decision.ts'
import type { Decision } from './decision.ts'

/** There is always a running VMI: one that ended or is asked to restart is deleted, and a new one follows. */
export function always(seen: Seen): Decision {
  if (seen.vmi === undefined) return start
  return isFinal(seen.vmi) || stopRequested(seen) ? stop : leave
}
