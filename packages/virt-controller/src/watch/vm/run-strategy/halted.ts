import { startRequested } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { leave, stop } from './decision.ts'
import type { Decision } from './decision.ts'

/** Nothing runs. A queued start turns the VM on for good, as the start subresource does. */
export function halted(seen: Seen): Decision {
  if (seen.vmi !== undefined) return stop
  return startRequested(seen) === undefined ? leave : { vmi: 'leave', flipTo: 'Always' }
}
