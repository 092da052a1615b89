import type {
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineSpec,
  VirtualMachineStateChangeRequest,
} from '@kubevirt-ts/api'
import type { Storage } from '../storage/claim-state.ts'

/** All that a step may look at. Nothing here is written to. */
export interface Seen extends Storage {
  readonly vm: VirtualMachine
  /** The VMI that the VM controls. */
  readonly vmi: VirtualMachineInstance | undefined
  /** A VMI of the VM's name that somebody else owns: nothing is started or stopped then. */
  readonly foreignVmi: boolean
  /** The VM's spec as it was when the VMI was started, where that revision is known. */
  readonly startedSpec: VirtualMachineSpec | undefined
  /** False while a VMI that this controller created or deleted is not yet visible in the cache. */
  readonly settled: boolean
  /** The same of its DataVolumes. */
  readonly dataVolumesSettled: boolean
  readonly now: Date
  /** In [0, 1). */
  readonly random: number
}

export type RunStrategy = 'Always' | 'Halted' | 'Manual' | 'RerunOnFailure' | 'Once' | 'WaitAsReceiver'

export function runStrategyOf({ spec }: VirtualMachine): RunStrategy {
  if (spec.runStrategy !== undefined) return spec.runStrategy as RunStrategy
  return spec.running ? 'Always' : 'Halted'
}

export function isFinal(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed'
}

/** A VMI that is neither over nor being deleted. */
export function isAlive(vmi: VirtualMachineInstance | undefined): vmi is VirtualMachineInstance {
  return vmi !== undefined && !isFinal(vmi) && vmi.metadata.deletionTimestamp === undefined
}

/**
 * The requests that are still to be served, in order. A Start is served once a live VMI exists, a Stop once the
 * VMI that it names is gone; a Stop without a name is served by having been seen.
 */
export function openRequests({ vm, vmi }: Pick<Seen, 'vm' | 'vmi'>): readonly VirtualMachineStateChangeRequest[] {
  const requests = vm.status?.stateChangeRequests ?? []
  const firstOpen = requests.findIndex(({ action, uid }) =>
    action === 'Start' ? !isAlive(vmi) : uid !== undefined && vmi?.metadata.uid === uid,
  )
  return firstOpen < 0 ? [] : requests.slice(firstOpen)
}

export function startRequested(seen: Pick<Seen, 'vm' | 'vmi'>): VirtualMachineStateChangeRequest | undefined {
  const first = openRequests(seen)[0]
  return first?.action === 'Start' ? first : undefined
}

/** Whether the VMI that is there is asked to stop. */
export function stopRequested(seen: Pick<Seen, 'vm' | 'vmi'>): boolean {
  const first = openRequests(seen)[0]
  return first?.action === 'Stop' && first.uid !== undefined && first.uid === seen.vmi?.metadata.uid
}
