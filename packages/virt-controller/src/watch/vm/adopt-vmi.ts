import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { controllerOf, keyOf, ownerReferenceTo } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { Deps } from './deps.ts'
import { decide } from './run-strategy/index.ts'
import type { Seen } from './seen.ts'
import { finalizer } from './vmi-from-vm.ts'

/**
 * Takes in a guest of the VM's name that nobody owns, such as one that an earlier VM left behind. True where it was
 * written; its event begins the next pass. A guest that the run strategy would end at once is left alone: it is
 * somebody's, and no error of ours may cost it.
 */
export async function adoptVmi(seen: Seen, deps: Deps): Promise<boolean> {
  const orphan = seen.foreignVmi ? deps.vmis.get(keyOf(seen.vm)) : undefined
  if (orphan === undefined || controllerOf(orphan) !== undefined) return false
  if (orphan.metadata.deletionTimestamp !== undefined || seen.vm.metadata.deletionTimestamp !== undefined) return false
  if (decide({ ...seen, vmi: orphan }).vmi === 'stop' || !(await isStillThere(seen, deps))) return false
  await takeIn(orphan, seen, deps)
  return true
}

/** The cache may show a VM that is gone or was made again: only a fresh look allows to adopt. */
async function isStillThere({ vm }: Seen, { client }: Deps): Promise<boolean> {
  try {
    const { metadata } = await client.get(virtualMachines, { namespace: vm.metadata.namespace, name: vm.metadata.name })
    return metadata.uid === vm.metadata.uid && metadata.deletionTimestamp === undefined
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

async function takeIn({ metadata }: VirtualMachineInstance, { vm }: Seen, { client }: Deps): Promise<void> {
  const finalizers = metadata.finalizers ?? []
  const patch = [
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    {
      op: 'add',
      path: '/metadata/ownerReferences',
      value: [...(metadata.ownerReferences ?? []), ownerReferenceTo(vm, virtualMachines)],
    },
    ...(finalizers.includes(finalizer)
      ? []
      : [{ op: 'add', path: '/metadata/finalizers', value: [...finalizers, finalizer] }]),
  ]
  try {
    const reference = { namespace: metadata.namespace, name: metadata.name }
    await client.patch(virtualMachineInstances, reference, patch, { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
