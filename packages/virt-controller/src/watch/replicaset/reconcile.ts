import { virtualMachineInstanceReplicaSets, virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachineInstance, VirtualMachineInstanceReplicaSet } from '@kubevirt-ts/api'
import { isConditionTrue } from '@kubevirt-ts/controller'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import { claim, membersOf, orphansOf } from '../ownership.ts'
import type { Claimer } from '../ownership.ts'
import { isSameJson } from '../same.ts'
import { act } from './act.ts'
import type { Deps } from './deps.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import type { Seen } from './seen.ts'
import { statusOf } from './status.ts'

/** One pass over a replica set: look, take in or let go of members, scale, write the status. */
export async function reconcile(key: string, deps: Deps): Promise<ReconcileResult | void> {
  const set = deps.replicaSets.get(key)
  if (set === undefined) return deps.expectations.forget(key)
  const stale = deps.ownWrites.staleFor(set)
  if (stale > 0) return { requeueAfter: stale }

  const claimer = claimerOf(set)
  const candidates = candidatesOf(set, deps)
  if (set.spec.paused !== true && (await claim(candidates, claimer, deps.client))) return
  // What this controller did is about to be seen: a status of half of it would only cost a write.
  if (!deps.expectations.satisfied(key)) return { requeueAfter: deps.expectations.expiresIn(key) }
  const seen: Seen = { set, members: membersOf(candidates, claimer), now: deps.now() }
  const problem = await act(seen, deps)
  await writeStatus(seen, problem, deps)
  if (problem?.retry) throw new VirtError(problem.reason, problem.message)
}

function candidatesOf({ metadata }: VirtualMachineInstanceReplicaSet, { vmis }: Deps): VirtualMachineInstance[] {
  return [
    ...vmis.byIndex('byReplicaSet', metadata.uid ?? ''),
    ...vmis.byIndex('byReplicaSet', orphansOf(metadata.namespace)),
  ].filter((vmi) => vmi.metadata.namespace === metadata.namespace)
}

function claimerOf(set: VirtualMachineInstanceReplicaSet): Claimer<VirtualMachineInstance> {
  return {
    owner: set,
    ownerResource: virtualMachineInstanceReplicaSets,
    memberResource: virtualMachineInstances,
    selector: set.spec.selector,
  }
}

async function writeStatus(seen: Seen, problem: Problem | undefined, deps: Deps): Promise<void> {
  const { set } = seen
  const status = statusOf(seen, problem)
  if (isSameJson(status, set.status)) return
  try {
    const body = { ...set, status }
    const written = await deps.client.update(virtualMachineInstanceReplicaSets, body, { subresource: 'status' })
    deps.ownWrites.note(set, written)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  const [was, is] = [set.status, status].map((each) => isConditionTrue(each?.conditions, 'ReplicaPaused'))
  if (is && !was) deps.events.event(set, 'Normal', reason.successfulPaused, 'Paused')
  if (was && !is) deps.events.event(set, 'Normal', reason.successfulResumed, 'Resumed')
}
