import type { Seen } from '../seen.ts'
import { leave, start, stop } from './decision.ts'
import type { Decision } from './decision.ts'
import { stopRequested } from '../seen.ts'

/** The guest runs once; its VMI is never replaced. */
export function once(seen: Seen): Decision {
  if (seen.vmi === undefined) return start
  return stopRequested(seen) ? stop : leave
}
