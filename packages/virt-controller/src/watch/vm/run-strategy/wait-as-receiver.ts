import { annotation, phase, runStrategy } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isReceiver } from '../../receiver.ts'
import { stopRequested } from '../seen.ts'
import type { RunStrategy, Seen } from '../seen.ts'
import { leave, start, stop } from './decision.ts'
import type { Decision } from './decision.ts'

/** A VMI that waits for its guest to be sent. Once that is here, the VM goes on as it did where it came from. */
export function waitAsReceiver(seen: Seen): Decision {
  const { vm, vmi } = seen
  if (vmi === undefined) return start
  if (stopRequested(seen)) return stop
  const former = hasArrived(vmi) ? formerStrategy(vm) : undefined
  return former === undefined ? leave : { vmi: 'leave', flipTo: former }
}

/** Whether a VMI waits for a guest that nobody is to receive any more: it never becomes one of its own. */
export function waitsInVain({ vm, vmi }: Pick<Seen, 'vm' | 'vmi'>): boolean {
  const { runStrategy: strategy, template } = vm.spec
  // A template that says so means each of its guests to be sent.
  const isMeant = strategy === runStrategy.waitAsReceiver || isReceiver(template)
  return vmi?.status?.phase === phase.waitingForSync && !isMeant
}

function hasArrived({ status }: VirtualMachineInstance): boolean {
  return (
    status?.phase === phase.running &&
    status.migrationState?.completed === true &&
    status.migrationState.failed !== true
  )
}

const formerStrategies: ReadonlySet<string> = new Set(
  Object.values(runStrategy).filter((each) => each !== runStrategy.waitAsReceiver),
)

/** What whoever made the VM noted; without a word that is known the guest runs on, and the VM stays as it is. */
function formerStrategy({ metadata }: VirtualMachine): RunStrategy | undefined {
  const noted = metadata.annotations?.[annotation.restoreRunStrategy]
  return noted !== undefined && formerStrategies.has(noted) ? (noted as RunStrategy) : undefined
}
