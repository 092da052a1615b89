import type {
  VirtualMachineInstanceReplicaSetCondition,
  VirtualMachineInstanceReplicaSetStatus,
} from '@kubevirt-ts/api'
import { removeCondition, setCondition } from '@kubevirt-ts/controller'
import { selectorText } from '../label-selector.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { active, isReady } from './seen.ts'
import type { Seen } from './seen.ts'

/** The set's status after this pass. */
export function statusOf(seen: Seen, problem: Problem | undefined): VirtualMachineInstanceReplicaSetStatus {
  const replicas = active(seen)
  const { conditions: before, ...kept } = seen.set.status ?? {}
  const conditions = failure(paused(before ?? [], seen), problem, seen.now)
  return {
    ...kept,
    replicas: replicas.length,
    readyReplicas: replicas.filter(isReady).length,
    labelSelector: selectorText(seen.set.spec.selector),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
  }
}

type Conditions = readonly VirtualMachineInstanceReplicaSetCondition[]

function paused(conditions: Conditions, { set, now }: Seen): Conditions {
  if (set.spec.paused !== true) return removeCondition(conditions, 'ReplicaPaused')
  const why = { reason: reason.paused, message: 'the set is paused: its guests are left alone' }
  return setCondition(conditions, { type: 'ReplicaPaused', status: 'True', ...why }, now)
}

function failure(conditions: Conditions, problem: Problem | undefined, now: Date): Conditions {
  if (problem === undefined) return removeCondition(conditions, 'ReplicaFailure')
  const { reason: why, message } = problem
  return setCondition(conditions, { type: 'ReplicaFailure', status: 'True', reason: why, message }, now)
}
