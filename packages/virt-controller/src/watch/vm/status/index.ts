import type { VirtualMachineStatus } from '@kubevirt-ts/api'
import { observedGeneration } from '../generation.ts'
import type { References } from '../instancetype/copies.ts'
import { nextDumpRequest } from '../memory-dump/request.ts'
import type { Problem } from '../reasons.ts'
import type { Decision } from '../run-strategy/index.ts'
import { openRequests, runStrategyOf } from '../seen.ts'
import type { Seen } from '../seen.ts'
import { nextStartFailure } from '../start-failure.ts'
import { volumeUpdateState } from '../volume-migration/state.ts'
import { openVolumeRequests } from '../volumes/requests.ts'
import { conditionsOf } from './conditions.ts'
import { printableStatus } from './printable-status.ts'

/** What happened in this pass, as far as the status tells it. */
export interface Outcome {
  readonly decision: Decision
  readonly problem?: Problem
  /** Why the guest must be started anew before it is what its VM says. */
  readonly restart?: string
  /** The copies of instance type and preference, where this pass looked. */
  readonly references?: References
  readonly created: boolean
  readonly deleted: boolean
}

/** The VM's status after this pass. Fields that other controllers own are kept as they are. */
export function statusOf(seen: Seen, outcome: Outcome): VirtualMachineStatus {
  const { vm, vmi } = seen
  const {
    startFailure: _failure,
    observedGeneration: _observed,
    stateChangeRequests: _requests,
    runStrategy: _strategy,
    volumeRequests: _volumes,
    memoryDumpRequest: _dump,
    volumeUpdateState: _update,
    instancetypeRef: _instancetype,
    preferenceRef: _preference,
    ...kept
  } = vm.status ?? {}
  const startFailure = nextStartFailure(seen)
  const observed = observedGeneration(seen) ?? vm.status?.observedGeneration
  const requests = requestsAfter(seen, outcome)
  const volumeRequests = openVolumeRequests(seen)
  const memoryDumpRequest = nextDumpRequest(seen)
  const volumeUpdate = volumeUpdateState(seen)
  const conditions = conditionsOf(seen, outcome)
  const counted = { ...seen, vm: { ...vm, status: { ...vm.status, startFailure } } }
  return {
    ...kept,
    ...referencesAfter(seen, outcome),
    ...(vmi === undefined ? { created: false } : { created: true }),
    ready: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    ...notedStrategy(seen, outcome),
    desiredGeneration: vm.metadata.generation ?? 0,
    ...(observed === undefined ? {} : { observedGeneration: observed }),
    ...(startFailure === undefined ? {} : { startFailure }),
    ...(requests.length === 0 ? {} : { stateChangeRequests: [...requests] }),
    ...(volumeRequests.length === 0 ? {} : { volumeRequests }),
    ...(memoryDumpRequest === undefined ? {} : { memoryDumpRequest }),
    ...(volumeUpdate === undefined ? {} : { volumeUpdateState: volumeUpdate }),
    conditions,
    printableStatus: printableStatus({
      seen: counted,
      createExpected: outcome.created || (!seen.settled && vmi === undefined),
      deleteExpected: outcome.deleted,
    }),
  }
}

/**
 * The strategy that was acted on. RerunOnFailure starts a guest when it is new: a start that did not come about, be it
 * for a lost race or a full quota, must be tried again, so the strategy stays new until then. So it does while a guest still
 * ends that was deleted under the strategy before.
 */
function notedStrategy(seen: Seen, { decision, created }: Outcome): Pick<VirtualMachineStatus, 'runStrategy'> {
  const strategy = runStrategyOf(seen.vm)
  const before = seen.vm.status?.runStrategy
  const isRefused = decision.vmi === 'start' && !created
  const isOwed = strategy === 'RerunOnFailure' && (isRefused || (before !== strategy && isEnding(seen)))
  const noted = isOwed ? before : strategy
  return noted === undefined ? {} : { runStrategy: noted }
}

/** Also where the cache does not show yet that the guest is deleted. */
function isEnding({ vmi, settled }: Seen): boolean {
  return vmi !== undefined && (vmi.metadata.deletionTimestamp !== undefined || !settled)
}

function requestsAfter(seen: Seen, { decision }: Outcome): NonNullable<VirtualMachineStatus['stateChangeRequests']> {
  const open = [...openRequests(seen)]
  if (decision.enqueueStart !== true || open.some(({ action }) => action === 'Start')) return open
  return [...open, { action: 'Start' }]
}

/** What the spec no longer names is no longer told. */
function referencesAfter({ vm: { spec, status } }: Seen, { references }: Outcome): References {
  const { instancetypeRef, preferenceRef } = { ...status, ...references }
  return {
    ...(spec.instancetype === undefined || instancetypeRef === undefined ? {} : { instancetypeRef }),
    ...(spec.preference === undefined || preferenceRef === undefined ? {} : { preferenceRef }),
  }
}
