import type { VirtualMachineStatus } from '@kubevirt-ts/api'
import { isSameJson } from '../same.ts'
import type { Seen } from './seen.ts'

/** Words for a VM on its way to another. */
const onTheWay: ReadonlySet<string> = new Set(['Starting', 'Stopping', 'Terminating'])

/** The word that users see is another. */
const wordMs = 500
/** A deleted VM is gone as soon as its guest is, and its timestamp tells as well. */
const goneMs = 2000
/** A guest that runs is ready as soon as its kubelet has looked at the pod once more. */
const readyMs = 2000
/** The word is the same, and only the reason why the VM is not ready differs. */
const detailMs = 10_000

/**
 * Milliseconds for which a status may stay untold since it tells of a moment only: a VM between stopped and ready, with
 * nothing in it that somebody waits for (requests, failures, generations, copies of instance types). 0 for all others.
 */
export function passesWithin({ vm }: Seen, status: VirtualMachineStatus): number {
  const before = vm.status ?? {}
  const isUnready = status.printableStatus === 'Running' && !status.ready
  if (!isUnready && !onTheWay.has(status.printableStatus ?? '')) return 0
  if (status.conditions?.some(({ type }) => type === 'Failure')) return 0
  if (!isSameJson(lasting(status), lasting(before))) return 0
  if (status.printableStatus === before.printableStatus) return detailMs
  if (isUnready) return readyMs
  return status.printableStatus === 'Terminating' ? goneMs : wordMs
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
