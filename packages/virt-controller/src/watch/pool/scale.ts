import type { VirtualMachine } from '@kubevirt-ts/api'
import { burst } from '../bursts.ts'
import { millisecondsOf } from '../duration.ts'
import { ordered } from './selection.ts'
import { isDeleting } from './seen.ts'
import type { Seen } from './seen.ts'

/** How many VMs one pass adds, or which ones it removes. */
export interface Plan {
  readonly create: number
  readonly remove: readonly VirtualMachine[]
}

/** A member that is being deleted counts until it is gone, since its name is not free before. */
export function plan(seen: Seen): Plan {
  const { pool, members } = seen
  const surplus = members.length - (pool.spec.replicas ?? 1)
  const healed = unhealthy(seen)
  if (surplus <= 0) return { create: Math.min(burst, -surplus), remove: healed.slice(0, burst) }
  const leaving = members.filter(isDeleting).length
  return { create: 0, remove: removable(seen).slice(0, Math.min(burst, Math.max(0, surplus - leaving))) }
}

/** Members that may be removed, in order: all of them, those that do not run, or none. */
function removable(seen: Seen): readonly VirtualMachine[] {
  const { pool, members, vmiOf } = seen
  const { unmanaged, opportunistic, proactive } = pool.spec.scaleInStrategy ?? {}
  if (unmanaged !== undefined) return []
  const present = ordered(
    members.filter((vm) => !isDeleting(vm)),
    proactive?.selectionPolicy,
    seen,
  )
  return opportunistic === undefined ? present : present.filter((vm) => vmiOf(vm) === undefined)
}

const defaults = { failures: 3, durationMs: 5 * 60_000 }

/** Members that fail to start again and again, where the pool heals itself: they are replaced. */
function unhealthy({ pool, members, now }: Seen): readonly VirtualMachine[] {
  const healing = pool.spec.autohealing
  if (healing === undefined) return []
  const failures = healing.startUpFailureThreshold ?? defaults.failures
  const duration = millisecondsOf(healing.minFailingToStartDuration) ?? defaults.durationMs
  return members.filter((vm) => {
    if (isDeleting(vm) || (vm.status?.startFailure?.consecutiveFailCount ?? 0) < failures) return false
    const unready = vm.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'False')
    const since = Date.parse(unready?.lastTransitionTime ?? vm.metadata.creationTimestamp ?? '')
    return now.getTime() - since >= duration
  })
}
