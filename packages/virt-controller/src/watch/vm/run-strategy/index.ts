import { runStrategyOf } from '../seen.ts'
import type { RunStrategy, Seen } from '../seen.ts'
import { always } from './always.ts'
import { stop } from './decision.ts'
import type { Decision } from './decision.ts'
import { halted } from './halted.ts'
import { manual } from './manual.ts'
import { once } from './once.ts'
import { rerunOnFailure } from './rerun-on-failure.ts'
import { waitAsReceiver, waitsInVain } from './wait-as-receiver.ts'

export type { Decision } from './decision.ts'

const strategies: Readonly<Record<RunStrategy, (seen: Seen) => Decision>> = {
  Always: always,
  RerunOnFailure: rerunOnFailure,
  Manual: manual,
  Halted: halted,
  Once: once,
  WaitAsReceiver: waitAsReceiver,
}

/** What the VM's run strategy wants next, whatever may forbid it at the moment. */
export function decide(seen: Seen): Decision {
  // The strategy that follows finds no guest then, and does what it does about that.
  if (waitsInVain(seen)) return { ...stop, enqueueStart: runStrategyOf(seen.vm) === 'RerunOnFailure' }
  const strategy = strategies[runStrategyOf(seen.vm)] as ((seen: Seen) => Decision) | undefined
  return strategy === undefined ? { vmi: 'leave' } : strategy(seen)
}
