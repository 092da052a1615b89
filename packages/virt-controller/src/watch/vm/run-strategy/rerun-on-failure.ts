import { isFinal, startRequested, stopRequested } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { leave, start, stop } from './decision.ts'
import type { Decision } from './decision.ts'

/** A guest that failed is started again; one that ended well stays down until a user asks. */
export function rerunOnFailure(seen: Seen): Decision {
  const { vm, vmi } = seen
  if (vmi === undefined) {
    const firstTime = vm.status?.runStrategy !== 'RerunOnFailure'
    return firstTime || startRequested(seen) !== undefined ? start : leave
  }
  if (stopRequested(seen)) return stop
  if (!isFinal(vmi)) return leave
  // The strategy is noted before a guest is deleted that ended under another one: such a guest owes no start.
  if (vm.status?.runStrategy !== 'RerunOnFailure' && vmi.metadata.deletionTimestamp === undefined) return leave
  // Until it is gone: the status in which the start was noted may have been lost to another's write.
  return { vmi: 'stop', enqueueStart: vmi.status?.phase === 'Failed' }
}
