import { virtualMachineInstanceReplicaSets, virtualMachineInstances } from '@kubevirt-ts/api'
import type { VirtualMachineInstance, VirtualMachineInstanceReplicaSet } from '@kubevirt-ts/api'
import { keyOf, ownerReferenceTo } from '@kubevirt-ts/controller'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import { inBatches } from '../bursts.ts'
import { isSelected } from '../label-selector.ts'
import type { Deps } from './deps.ts'
import { reason } from './reasons.ts'
import type { Problem } from './reasons.ts'
import { plan } from './scale.ts'
import type { Seen } from './seen.ts'

/** Creates what is missing and deletes what is too much. Nothing is thrown: the problem is told in the status first. */
export async function act(seen: Seen, deps: Deps): Promise<Problem | undefined> {
  const { set } = seen
  if (!isSelected(set.spec.selector, set.spec.template.metadata?.labels)) return invalidSelector(set)
  const { create, remove } = plan(seen)
  const removed = await inBatches(remove.length, (index) => removeMember(remove[index]!, set, deps))
  const created = await inBatches(create, () => createMember(set, deps))
  if (created.error !== undefined) return problem(reason.failedCreate, 'creating a guest failed', created.error)
  if (removed.error !== undefined) return problem(reason.failedDelete, 'deleting a guest failed', removed.error)
  return undefined
}

function invalidSelector({ metadata }: VirtualMachineInstanceReplicaSet): Problem {
  const message = `the selector of VirtualMachineInstanceReplicaSet ${metadata.namespace}/${metadata.name} does not select the labels of its template; nothing is created until they match`
  return { reason: reason.invalidSelector, message, retry: false }
}

function problem(why: string, what: string, error: unknown): Problem {
  const text = error instanceof Error ? error.message : String(error)
  return { reason: why, message: `${what}: ${text}`, retry: !isInvalid(error) }
}

async function createMember(set: VirtualMachineInstanceReplicaSet, deps: Deps): Promise<void> {
  const { client, events, expectations } = deps
  const key = keyOf(set)
  expectations.expectCreations(key, 1)
  try {
    const { metadata } = await client.create(virtualMachineInstances, memberOf(set))
    const text = `Started the virtual machine by creating the new virtual machine instance ${metadata.name}`
    events.event(set, 'Normal', reason.successfulCreate, text)
  } catch (error) {
    expectations.creationObserved(key)
    const text = error instanceof Error ? error.message : String(error)
    events.event(set, 'Warning', reason.failedCreate, `Creating a virtual machine instance failed: ${text}`)
    throw error
  }
}

/** A guest as the template says, owned by the set, under a name that the API server completes. */
export function memberOf(set: VirtualMachineInstanceReplicaSet): VirtualMachineInstance {
  const { metadata, spec } = structuredClone(set.spec.template)
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: '',
      generateName: `${metadata?.name ?? set.metadata.name}-`,
      namespace: set.metadata.namespace,
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [ownerReferenceTo(set, virtualMachineInstanceReplicaSets)],
    },
    spec: spec ?? { domain: { devices: {} } },
  }
}

async function removeMember(
  { metadata }: VirtualMachineInstance,
  set: VirtualMachineInstanceReplicaSet,
  { client, events, expectations }: Deps,
): Promise<void> {
  const key = keyOf(set)
  const uid = metadata.uid ?? ''
  expectations.expectDeletions(key, [uid])
  try {
    const reference = { namespace: metadata.namespace, name: metadata.name }
    await client.delete(virtualMachineInstances, reference, { preconditions: { uid } })
    const text = `Stopped the virtual machine by deleting the virtual machine instance ${uid}`
    events.event(set, 'Normal', reason.successfulDelete, text)
  } catch (error) {
    expectations.deletionObserved(key, uid)
    if (isNotFound(error)) return
    const text = error instanceof Error ? error.message : String(error)
    events.event(
      set,
      'Warning',
      reason.failedDelete,
      `Deleting virtual machine instance ${metadata.name} failed: ${text}`,
    )
    throw error
  }
}
