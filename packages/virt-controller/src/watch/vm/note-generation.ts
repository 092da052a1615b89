import { virtualMachineInstances } from '@kubevirt-ts/api'
import { pointer } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { Deps } from './deps.ts'
import { generationToNote } from './generation.ts'
import type { Seen } from './seen.ts'
import { vmGeneration } from './vmi-from-vm.ts'

/** Writes the VM's generation on the VMI where the VM changed outside of its template. */
export async function noteGeneration(seen: Seen, { client }: Deps): Promise<void> {
  const generation = generationToNote(seen)
  const { namespace, name } = seen.vm.metadata
  if (generation === undefined || seen.vmi?.metadata.annotations === undefined) return
  const patch = [{ op: 'add', path: pointer('metadata', 'annotations', vmGeneration), value: String(generation) }]
  try {
    await client.patch(virtualMachineInstances, { namespace, name: name ?? '' }, patch, { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
