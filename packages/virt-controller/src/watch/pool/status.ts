import type { VirtualMachinePoolCondition, VirtualMachinePoolStatus } from '@kubevirt-ts/api'
import { removeCondition, setCondition } from '@kubevirt-ts/controller'
import { selectorText } from '../label-selector.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { isReady } from './seen.ts'
import type { Seen } from './seen.ts'

/** The pool's status after this pass. */
export function statusOf(seen: Seen, problem: Problem | undefined): VirtualMachinePoolStatus {
  const { pool, members, now } = seen
  const { conditions: before, ...kept } = pool.status ?? {}
  const conditions = failure(paused(before ?? [], seen), problem, now)
  return {
    ...kept,
    replicas: members.length,
    readyReplicas: members.filter(isReady).length,
    labelSelector: selectorText(pool.spec.selector),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
  }
}

type Conditions = readonly VirtualMachinePoolCondition[]

function paused(conditions: Conditions, { pool, now }: Seen): Conditions {
  if (pool.spec.paused !== true) return removeCondition(conditions, 'ReplicaPaused')
  const why = { reason: reason.paused, message: 'the pool is paused: its machines are left alone' }
  return setCondition(conditions, { type: 'ReplicaPaused', status: 'True', ...why }, now)
}

function failure(conditions: Conditions, problem: Problem | undefined, now: Date): Conditions {
  if (problem === undefined) return removeCondition(conditions, 'ReplicaFailure')
  const { reason: why, message } = problem
  return setCondition(conditions, { type: 'ReplicaFailure', status: 'True', reason: why, message }, now)
}
