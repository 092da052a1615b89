import { phase } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'

/** Ended, for good or bad: such a VMI never runs again. */
export function isFinal(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === phase.succeeded || vmi.status?.phase === phase.failed
}

export function isRunning(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === phase.running
}

export function isScheduled(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === phase.scheduled
}

/** No launcher pod was made for it yet. */
export function isUnprocessed(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === undefined || vmi.status.phase === phase.unset || vmi.status.phase === phase.pending
}

/** virt-handler leads from here on: virt-controller only patches. */
export function isHandedOver(vmi: VirtualMachineInstance): boolean {
  return isScheduled(vmi) || isRunning(vmi)
}

/** The guest ran at some time, whatever came then. */
export function wasRunning(vmi: VirtualMachineInstance): boolean {
  return isRunning(vmi) || Boolean(vmi.status?.phaseTransitionTimestamps?.some((step) => step.phase === phase.running))
}

export function isMarkedForDeletion(object: { metadata: { deletionTimestamp?: string } }): boolean {
  return object.metadata.deletionTimestamp !== undefined
}
