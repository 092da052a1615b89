import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Seen } from './seen.ts'

const foreground = ['kubevirt.io/foregroundDeleteVirtualMachine', 'foregroundDeleteVirtualMachine']
const virtualMachines = 'kubevirt.io/virtualMachineControllerFinalize'

/**
 * Lets a final VMI go once no pod of it is left. The VM controller takes its own finalizer off itself, so that it
 * has seen the end; only where that VM is gone it is taken off here.
 */
export function releaseFinalizers(draft: VirtualMachineInstance, { seen }: { readonly seen: Seen }): void {
  const final = draft.status?.phase === 'Succeeded' || draft.status?.phase === 'Failed'
  const left = seen.pods.length + seen.temporaryPods.length
  if (!final || left > 0 || !seen.podsSettled) return
  const done = seen.ownerVmExists ? foreground : [...foreground, virtualMachines]
  const kept = (draft.metadata.finalizers ?? []).filter((finalizer) => !done.includes(finalizer))
  if (kept.length !== (draft.metadata.finalizers ?? []).length) draft.metadata.finalizers = kept
}
