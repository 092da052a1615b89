import { virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachinePool } from '@kubevirt-ts/api'
import { keyOf } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { inBatches } from '../bursts.ts'
import type { Deps } from './deps.ts'
import { preserveState, preservesState } from './preserve.ts'
import { reason } from './reasons.ts'

/** Deletes members, after what is to outlive them was let go. Throws the first error of the API server. */
export async function removeMembers(
  members: readonly VirtualMachine[],
  pool: VirtualMachinePool,
  deps: Deps,
): Promise<void> {
  const { error } = await inBatches(members.length, (at) => removeMember(members[at]!, pool, deps))
  if (error !== undefined) throw error
}

async function removeMember(vm: VirtualMachine, pool: VirtualMachinePool, deps: Deps): Promise<void> {
  const { client, events, expectations } = deps
  const { metadata } = vm
  const uid = metadata.uid ?? ''
  if (preservesState(pool)) await preserveState(vm, client)
  expectations.expectDeletions(keyOf(pool), [uid])
  try {
    const reference = { namespace: metadata.namespace, name: metadata.name }
    await client.delete(virtualMachines, reference, { preconditions: { uid }, propagationPolicy: 'Foreground' })
    events.event(pool, 'Normal', reason.successfulDelete, `Deleted VM ${metadata.namespace}/${metadata.name}`)
  } catch (error) {
    expectations.deletionObserved(keyOf(pool), uid)
    if (!isNotFound(error)) throw error
  }
}
