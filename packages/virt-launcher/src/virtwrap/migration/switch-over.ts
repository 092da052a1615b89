import type { DomainEvent } from '@kubevirt-ts/libvirt'
import type { LauncherState } from '../launcher.ts'
import { noteArrival } from './arrival.ts'

/** VIR_DOMAIN_EVENT_SUSPENDED_MIGRATED */
const toMove = 1
/** So long a guest that has arrived has the processors to itself: its memory and its code are cold. */
const firstMomentsMs = 150

/**
 * Takes note of an event and answers how many milliseconds later it is looked at how the guest is; `never` where this
 * event is no reason to. To look, to tell and all that follows from it, on two nodes and in the API server, costs more
 * than the switch-over itself, and would be part of the time for which the guest stands still.
 */
export function lookAfter(event: DomainEvent, state: LauncherState): number | 'never' {
  // Its devices wake up just before it does.
  if (event.kind !== 'lifecycle') return state.arrival === 'coming' ? 'never' : 0
  const before = state.arrival
  noteArrival(state, event.event)
  // It stops to change places; what came of that is told when it is known.
  if (event.event === 'suspended' && event.detail === toMove && isLeaving(state)) return 'never'
  return before === 'coming' && state.arrival === 'ran' ? firstMomentsMs : 0
}

const isLeaving = ({ migration }: LauncherState): boolean =>
  migration?.startTimestamp !== undefined && migration.endTimestamp === undefined
