import { finalizer, virtualMachinePools } from '@kubevirt-ts/api'
import type { VirtualMachinePool } from '@kubevirt-ts/api'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { burst } from '../bursts.ts'
import type { Deps } from './deps.ts'
import { preserveState, preservesState } from './preserve.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { removeMembers } from './remove.ts'
import { isDeleting } from './seen.ts'
import type { Seen } from './seen.ts'

const isHeld = ({ metadata }: VirtualMachinePool): boolean => metadata.finalizers?.includes(finalizer.pool) ?? false

/**
 * A pool whose members' state is to outlive them is held until they are gone, since the garbage collector, which takes
 * the members of other pools along, would take their state too. True where the pool was written.
 */
export async function hold(pool: VirtualMachinePool, deps: Deps): Promise<boolean> {
  if (isDeleting(pool) || preservesState(pool) === isHeld(pool)) return false
  const others = (pool.metadata.finalizers ?? []).filter((each) => each !== finalizer.pool)
  await writeFinalizers(pool, isHeld(pool) ? others : [...others, finalizer.pool], deps)
  return true
}

/** Takes the members of a deleted pool that is held along, then lets the pool go; orphaned members stay. */
export async function end({ pool, members }: Seen, deps: Deps): Promise<Problem | undefined> {
  if (!isHeld(pool)) return undefined
  const has = (name: string): boolean => pool.metadata.finalizers?.includes(name) ?? false
  try {
    if (!has('orphan') && members.length > 0) {
      // In this form of deletion the garbage collector goes ahead with the members, but they wait for their controller.
      if (has('foregroundDeletion')) await Promise.all(members.map((vm) => preserveState(vm, deps.client)))
      const present = members.filter((vm) => !isDeleting(vm))
      await removeMembers(present.slice(0, burst), pool, deps)
      return undefined
    }
    const others = (pool.metadata.finalizers ?? []).filter((each) => each !== finalizer.pool)
    await writeFinalizers(pool, others, deps)
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    deps.events.event(pool, 'Warning', reason.failedScaleIn, text)
    return { reason: reason.failedScaleIn, message: text, retry: !isInvalid(error) }
  }
}

async function writeFinalizers(
  pool: VirtualMachinePool,
  finalizers: readonly string[],
  { client, ownWrites }: Deps,
): Promise<void> {
  const { namespace, name, resourceVersion } = pool.metadata
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/metadata/finalizers', value: finalizers },
  ]
  try {
    ownWrites.note(pool, await client.patch(virtualMachinePools, { namespace, name }, patch, { type: 'json' }))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
