import type { VirtualMachineStatus } from '@kubevirt-ts/api'
import { isSameJson } from '../same.ts'
import type { Seen } from './seen.ts'

/** Words for a VM on its way to another. */
const onTheWay: ReadonlySet<string> = new Set(['Starting', 'Stopping', 'Terminating'])

/**
 * Whether a status tells of a moment only: a VM between stopped and ready, with nothing in it that somebody waits for
 * (requests, failures, generations, copies of instance types).
 */
export function isPassing({ vm }: Seen, status: VirtualMachineStatus): boolean {
  const between = onTheWay.has(status.printableStatus ?? '') || (status.printableStatus === 'Running' && !status.ready)
  if (!between || status.conditions?.some(({ type }) => type === 'Failure')) return false
  return isSameJson(lasting(status), lasting(vm.status ?? {}))
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
