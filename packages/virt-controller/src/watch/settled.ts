import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { priority } from '@kubevirt-ts/controller'
import type { AddOptions } from '@kubevirt-ts/controller'

/**
 * A new leader is told of everything that exists. What rests comes after all that somebody waits for, and costs a look
 * each, most of which find nothing to do.
 */
const resting: AddOptions = { priority: priority.resync }

/** How a guest that was found is queued. */
export function foundGuest(vmi: VirtualMachineInstance | undefined, otherwise: AddOptions = {}): AddOptions {
  return vmi?.status?.phase === 'Running' && vmi.metadata.deletionTimestamp === undefined ? resting : otherwise
}

/** How a VM that was found is queued. */
export function foundVm({ metadata, status }: VirtualMachine): AddOptions {
  const isKnown = status?.observedGeneration === metadata.generation && metadata.deletionTimestamp === undefined
  const isOpen = (status?.stateChangeRequests ?? []).length > 0
  return isKnown && !isOpen && status?.ready === true ? resting : {}
}
