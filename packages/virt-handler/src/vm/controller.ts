import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { type Informer, runWorkers, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { type Guest, guestKey } from '../launcher-clients/guest.ts'

export interface VmControllerOptions {
  readonly vmis: Pick<Informer<VirtualMachineInstance>, 'on' | 'synced'>
  readonly queue: WorkQueue
  readonly log: Logger
}

/** Guests that are worked on at the same time. */
const workers = 10
/** Defining and starting a guest takes a second or two by itself. */
const slowMs = 10_000

/** Which objects wake which guests. Nothing is decided here. */
export function wakeGuests({ vmis, queue }: Omit<VmControllerOptions, 'log'>): (guest: Guest) => void {
  const wake = (guest: Guest): void => queue.add(guestKey(guest))
  const wakeVmi = ({ metadata }: VirtualMachineInstance): void =>
    wake({ namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' })
  vmis.on({ added: wakeVmi, updated: (_, vmi) => wakeVmi(vmi), deleted: wakeVmi })
  return wake
}

/**
 * Works on guests until the signal is aborted. Begins after the first complete list of VMIs: before it every guest
 * would look as if its VMI were gone.
 */
export async function runVmController(
  { vmis, queue, log }: VmControllerOptions,
  reconcile: Parameters<typeof runWorkers>[0]['reconcile'],
  signal: AbortSignal,
): Promise<void> {
  await vmis.synced
  if (signal.aborted) return
  await runWorkers({ queue, workers, reconcile, log, signal, slowMs })
}
