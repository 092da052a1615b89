import { virtualMachinePools, virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachinePool } from '@kubevirt-ts/api'
import { isConditionTrue, isControlledBy, keyFor, keyOf } from '@kubevirt-ts/controller'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import { claim, membersOf, orphansOf } from '../ownership.ts'
import type { Claimer } from '../ownership.ts'
import { isSameJson } from '../same.ts'
import { act } from './act.ts'
import type { Deps } from './deps.ts'
import { hold } from './end.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import type { Seen } from './seen.ts'
import { statusOf } from './status.ts'

/** One pass over a pool: look, take in or let go of members, scale and update them, write the status. */
export async function reconcile(key: string, deps: Deps): Promise<ReconcileResult | void> {
  const pool = deps.pools.get(key)
  if (pool === undefined) return deps.expectations.forget(key)
  const stale = deps.ownWrites.staleFor(pool)
  if (stale > 0) return { requeueAfter: stale }

  if (await hold(pool, deps)) return
  const claimer = claimerOf(pool)
  const candidates = candidatesOf(pool, deps)
  if (pool.spec.paused !== true && (await claim(candidates, claimer, deps.client))) return
  // What this controller did is about to be seen: a status of half of it would only cost a write.
  if (!deps.expectations.satisfied(key)) return { requeueAfter: deps.expectations.expiresIn(key) }
  const seen = gather(pool, membersOf(candidates, claimer), deps)
  const problem = await act(seen, deps)
  await writeStatus(seen, problem, deps)
  if (problem?.retry) throw new VirtError(problem.reason, problem.message)
  const isHealing = seen.members.some(({ status }) => status?.startFailure !== undefined)
  if (pool.spec.autohealing !== undefined && isHealing) return { requeueAfter: healingLookMs }
}

/** Members that fail to start are looked at again by the clock: that enough time has passed is no event. */
const healingLookMs = 30_000

function gather(pool: VirtualMachinePool, members: readonly VirtualMachine[], deps: Deps): Seen {
  const { namespace, uid } = pool.metadata
  return {
    pool,
    members,
    vmiOf: (vm) => {
      const vmi = deps.vmis.get(keyOf(vm))
      return vmi !== undefined && isControlledBy(vmi, vm) ? vmi : undefined
    },
    revisions: deps.revisions.byIndex('byPoolUid', uid ?? ''),
    isTaken: (name) => deps.vms.get(keyFor(namespace, name)) !== undefined,
    now: deps.now(),
    random: deps.random,
  }
}

function candidatesOf({ metadata }: VirtualMachinePool, { vms }: Deps): VirtualMachine[] {
  return [...vms.byIndex('byPool', metadata.uid ?? ''), ...vms.byIndex('byPool', orphansOf(metadata.namespace))].filter(
    (vm) => vm.metadata.namespace === metadata.namespace,
  )
}

function claimerOf(pool: VirtualMachinePool): Claimer<VirtualMachine> {
  return {
    owner: pool,
    ownerResource: virtualMachinePools,
    memberResource: virtualMachines,
    selector: pool.spec.selector,
  }
}

async function writeStatus(seen: Seen, problem: Problem | undefined, deps: Deps): Promise<void> {
  const { pool } = seen
  const status = statusOf(seen, problem)
  if (isSameJson(status, pool.status)) return
  try {
    const written = await deps.client.update(virtualMachinePools, { ...pool, status }, { subresource: 'status' })
    deps.ownWrites.note(pool, written)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  const [was, is] = [pool.status, status].map((each) => isConditionTrue(each?.conditions, 'ReplicaPaused'))
  if (is && !was) deps.events.event(pool, 'Normal', reason.successfulPaused, 'Paused')
  if (was && !is) deps.events.event(pool, 'Normal', reason.successfulResume, 'Resumed')
}
