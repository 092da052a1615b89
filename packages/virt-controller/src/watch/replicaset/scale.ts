import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { burst } from '../bursts.ts'
import { active, isDeleting, isFinal, isReady } from './seen.ts'
import type { Seen } from './seen.ts'

/** What one pass does to the members of a set. */
export interface Plan {
  readonly create: number
  readonly remove: readonly VirtualMachineInstance[]
}

const nothing: Plan = { create: 0, remove: [] }

/**
 * Members that are over are deleted, missing ones created, surplus ones deleted: at most a burst of each. A member that
 * is being deleted counts until it is gone, so its successor never runs beside it.
 */
export function plan(seen: Seen): Plan {
  const { set } = seen
  if (set.spec.paused === true || set.metadata.deletionTimestamp !== undefined) return nothing
  const finished = seen.members.filter((vmi) => isFinal(vmi) && !isDeleting(vmi))
  const present = active(seen)
  const surplus = present.length - (set.spec.replicas ?? 1)
  const leaving = present.filter(isDeleting).length
  const excess = present
    .filter((vmi) => !isDeleting(vmi))
    .toSorted(dispensableFirst)
    .slice(0, Math.max(0, surplus - leaving))
  return { create: Math.min(burst, Math.max(0, -surplus)), remove: [...finished, ...excess].slice(0, burst) }
}

/** Guests that do not run yet go before those that do, unready before ready ones, younger before older ones. */
function dispensableFirst(a: VirtualMachineInstance, b: VirtualMachineInstance): number {
  return rank(a) - rank(b) || created(b) - created(a)
}

function rank(vmi: VirtualMachineInstance): number {
  if (vmi.status?.phase !== 'Running') return 0
  return isReady(vmi) ? 2 : 1
}

function created({ metadata }: VirtualMachineInstance): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0
}
