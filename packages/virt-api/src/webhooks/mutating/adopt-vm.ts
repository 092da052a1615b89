import { finalizer } from '@kubevirt-ts/api'
import type { VirtualMachine } from '@kubevirt-ts/api'
import type { Admitter, JsonPatchStep } from '../admitter.ts'

/**
 * A new VM is stored with the finalizer of its controller, which so is spared a write for each VM; one that was created
 * while virt-api was not asked gets it from the controller.
 */
export const adoptingNewVm =
  (admit: Admitter): Admitter =>
  async (request, context) => {
    const admission = await admit(request, context)
    if (request.operation !== 'CREATE' || admission.patch === undefined) return admission
    return { ...admission, patch: [...admission.patch, ...finalizerSteps(request.object as VirtualMachine)] }
  }

function finalizerSteps({ metadata: { finalizers } }: VirtualMachine): JsonPatchStep[] {
  if (finalizers?.includes(finalizer.vm) === true) return []
  return finalizers === undefined
    ? [{ op: 'add', path: '/metadata/finalizers', value: [finalizer.vm] }]
    : [{ op: 'add', path: '/metadata/finalizers/-', value: finalizer.vm }]
}
