import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { isFinished, isTerminating } from '../pod-state.ts'
import type { Seen } from './seen.ts'

const foreground = ['kubevirt.io/foregroundDeleteVirtualMachine', 'foregroundDeleteVirtualMachine']
const virtualMachines = 'kubevirt.io/virtualMachineControllerFinalize'

/**
 * Lets a final VMI go once no pod of it is left; a deleted one already when its pods have ended, since the kubelet
 * removes those without its help. The VM controller takes its own finalizer off itself, so that it has seen the end;
 * only where that VM goes too, or is gone, it is taken off here.
 */
export function releaseFinalizers(draft: VirtualMachineInstance, { seen }: { readonly seen: Seen }): void {
  const final = draft.status?.phase === 'Succeeded' || draft.status?.phase === 'Failed'
  if (!final || !seen.podsSettled || !podsHaveLeft(seen)) return
  const done = seen.ownerVmStays ? foreground : [...foreground, virtualMachines]
  const kept = (draft.metadata.finalizers ?? []).filter((finalizer) => !done.includes(finalizer))
  if (kept.length !== (draft.metadata.finalizers ?? []).length) draft.metadata.finalizers = kept
}

function podsHaveLeft({ vmi, pods, temporaryPods }: Seen): boolean {
  const all = [...pods, ...temporaryPods]
  if (vmi.metadata.deletionTimestamp === undefined) return all.length === 0
  return all.every((pod) => isTerminating(pod) && isFinished(pod))
}
