import type { VirtualMachineCondition } from '@kubevirt-ts/api'
import { findCondition, removeCondition, setCondition } from '@kubevirt-ts/controller'
import type { Problem } from '../reasons.ts'
import type { Seen } from '../seen.ts'
import { withRecovery } from '../volume-migration/state.ts'

/** Conditions that are the VM's own; all others mirror the VMI's. */
const own: ReadonlySet<string> = new Set(['Ready', 'Failure', 'RestartRequired', 'ManualRecoveryRequired'])

/** The VM's conditions after this pass. */
export function conditionsOf(
  seen: Seen,
  { problem, restart }: { readonly problem?: Problem; readonly restart?: string },
): VirtualMachineCondition[] {
  let conditions: readonly VirtualMachineCondition[] = seen.vm.status?.conditions ?? []
  for (const step of [mirrored, ready]) conditions = step(conditions, seen)
  return [...failure(withRecovery(restartRequired(conditions, restart, seen), seen), problem, seen.now)]
}

type Step = (conditions: readonly VirtualMachineCondition[], seen: Seen) => readonly VirtualMachineCondition[]

/** While there is a VMI its conditions are shown one to one; without one the last ones stay. */
const mirrored: Step = (conditions, { vmi }) => {
  if (vmi === undefined) return conditions
  const theirs = (vmi.status?.conditions ?? []).filter(({ type }) => !own.has(type))
  const kept = conditions.filter(({ type }) => own.has(type) || findCondition(theirs, type) !== undefined)
  return theirs.reduce<readonly VirtualMachineCondition[]>((list, condition) => {
    const before = findCondition(list, condition.type)
    return before === undefined ? [...list, condition] : list.map((each) => (each === before ? condition : each))
  }, kept)
}

const ready: Step = (conditions, { vmi, now }) => {
  const theirs = findCondition(vmi?.status?.conditions, 'Ready')
  if (theirs !== undefined) {
    const status = theirs.status as 'True' | 'False' | 'Unknown'
    return setCondition(conditions, { type: 'Ready', status, reason: theirs.reason, message: theirs.message }, now)
  }
  const missing =
    vmi === undefined
      ? { reason: 'VMINotExists', message: 'VMI does not exist' }
      : { reason: 'VMIConditionMissing', message: 'VMI has no condition Ready yet' }
  return setCondition(conditions, { type: 'Ready', status: 'False', ...missing }, now)
}

/** What was told of this guest before is part of the message's finding, so that it lasts as long as the guest. */
function restartRequired(
  conditions: readonly VirtualMachineCondition[],
  message: string | undefined,
  { vmi, now }: Seen,
): readonly VirtualMachineCondition[] {
  if (vmi === undefined || message === undefined) return removeCondition(conditions, 'RestartRequired')
  return setCondition(conditions, { type: 'RestartRequired', status: 'True', message }, now)
}

function failure(
  conditions: readonly VirtualMachineCondition[],
  problem: Problem | undefined,
  now: Date,
): readonly VirtualMachineCondition[] {
  if (problem === undefined) return removeCondition(conditions, 'Failure')
  return setCondition(
    conditions,
    { type: 'Failure', status: 'True', reason: problem.reason, message: problem.message },
    now,
  )
}
