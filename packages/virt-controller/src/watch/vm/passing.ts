import { readyReason } from '@kubevirt-ts/api'
import type { VirtualMachineCondition, VirtualMachineStatus } from '@kubevirt-ts/api'
import { isSameJson } from '../same.ts'
import type { Seen } from './seen.ts'

/** Words for a VM on its way to another. */
const onTheWay: ReadonlySet<string> = new Set(['Starting', 'Stopping', 'Terminating'])

/** Why a VM is not ready that will be so by itself, as soon as controller, node agent and kubelet have looked again. */
const ownSteps: ReadonlySet<string> = new Set([
  ...Object.values(readyReason),
  // The kubelet's word from the hand-over until it has seen that the gate is open.
  'ReadinessGatesNotReady',
])

/** The word that users see is another. */
const wordMs = 500
/** A deleted VM is gone as soon as its guest is, and its timestamp tells as well. */
const goneMs = 5000
/** A guest runs, but what serves in it is not ready: a probe's verdict, which the next probe may change. */
const probeMs = 2000
/**
 * Nothing but steps of our own is missing. They take as long as the machine is slow, and telling each would make a slow
 * machine slower; only one that hangs is told.
 */
const stepMs = 30_000

/**
 * Milliseconds for which a status may stay untold since it tells of a moment only: a VM between stopped and ready, with
 * nothing in it that somebody waits for (requests, failures, generations, copies of instance types). 0 for all others.
 */
export function passesWithin({ vm }: Seen, status: VirtualMachineStatus): number {
  const before = vm.status ?? {}
  const isUnready = status.printableStatus === 'Running' && !status.ready
  if (!isUnready && !onTheWay.has(status.printableStatus ?? '')) return 0
  if (status.conditions?.some(({ type }) => type === 'Failure')) return 0
  // Nobody is to restart a guest that was just started.
  if (asksForRestart(before) && !asksForRestart(status)) return 0
  if (!isSameJson(lasting(status), lasting(before))) return 0
  const isOwnStep = before.ready !== true && ownSteps.has(readyOf(status)?.reason ?? '')
  if (isUnready) return isOwnStep ? stepMs : probeMs
  if (status.printableStatus !== before.printableStatus) {
    return status.printableStatus === 'Terminating' ? goneMs : wordMs
  }
  return isOwnStep && isSameJson(mirrored(status), mirrored(before)) ? stepMs : probeMs
}

/** What is left of a status without what changes by itself while a VM starts or ends. */
function lasting({
  printableStatus: _word,
  ready: _ready,
  created: _created,
  conditions: _conditions,
  runStrategy: _strategy,
  observedGeneration: _observed,
  desiredGeneration: _desired,
  ...others
}: VirtualMachineStatus): VirtualMachineStatus {
  return others
}

const asksForRestart = ({ conditions }: VirtualMachineStatus): boolean =>
  conditions?.some(({ type }) => type === 'RestartRequired') ?? false

const readyOf = ({ conditions }: VirtualMachineStatus): VirtualMachineCondition | undefined =>
  conditions?.find(({ type }) => type === 'Ready')

/** All that the guest tells besides being ready, such as why nobody can make it run. */
const mirrored = ({ conditions }: VirtualMachineStatus): VirtualMachineCondition[] =>
  (conditions ?? []).filter(({ type }) => type !== 'Ready')
