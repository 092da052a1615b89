import { isFinal, startRequested, stopRequested } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { leave, start, stop } from './decision.ts'
import type { Decision } from './decision.ts'

/** Only requests start and stop the guest. A finished VMI stays to be looked at until the next start. */
export function manual(seen: Seen): Decision {
  const startWanted = startRequested(seen) !== undefined
  if (seen.vmi === undefined) return startWanted ? start : leave
  return stopRequested(seen) || (isFinal(seen.vmi) && startWanted) ? stop : leave
}
