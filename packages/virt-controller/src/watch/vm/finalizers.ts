import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { Deps } from './deps.ts'
import { isFinal } from './seen.ts'
import type { Seen } from './seen.ts'
import { finalizer, firmwareUuid } from './vmi-from-vm.ts'

/**
 * Makes a new VM ours with one patch: the finalizer, and the firmware UUID where the webhook did not set one, since a
 * guest must keep its UUID over all its lives. True where the VM was written; its event begins the next pass.
 */
export async function adopt({ vm }: Seen, { client, ownWrites }: Deps): Promise<boolean> {
  if (vm.metadata.deletionTimestamp !== undefined) return false
  const finalizers = vm.metadata.finalizers ?? []
  const patch: unknown[] = []
  if (!finalizers.includes(finalizer)) patch.push(...finalizerPatch(vm, [...finalizers, finalizer]))
  const domain = vm.spec.template.spec?.domain
  if (domain !== undefined && domain.firmware?.uuid === undefined) {
    const value = { ...domain.firmware, uuid: firmwareUuid(vm) }
    patch.push({ op: 'add', path: '/spec/template/spec/domain/firmware', value })
  }
  if (patch.length === 0) return false
  const written = await client.patch(virtualMachines, referenceTo(vm), guarded(vm, patch), { type: 'json' })
  ownWrites.note(vm, written)
  return true
}

/** A final VMI was seen and counted, so it may go. With a deleted VM nobody counts, and the VMI's own controller lets it go. */
export async function releaseVmi({ vm, vmi }: Seen, { client }: Deps): Promise<void> {
  if (vmi === undefined || !isFinal(vmi) || vm.metadata.deletionTimestamp !== undefined) return
  await release(virtualMachineInstances, vmi, client)
}

/** A deleted VM goes when its VMI is gone, or at once where the user wants to keep the VMI. */
export async function releaseVm({ vm, vmi, settled }: Seen, { client }: Deps): Promise<void> {
  if (vm.metadata.deletionTimestamp === undefined) return
  const orphaning = vm.metadata.finalizers?.includes('orphan') ?? false
  if (!orphaning && (vmi !== undefined || !settled)) return
  await release(virtualMachines, vm, client)
}

async function release<T extends KubeObject>(
  resource: ResourceType<T>,
  object: T,
  client: Deps['client'],
): Promise<void> {
  const finalizers = object.metadata.finalizers ?? []
  if (!finalizers.includes(finalizer)) return
  const kept = finalizers.filter((each) => each !== finalizer)
  try {
    await client.patch(resource, referenceTo(object), finalizerPatch(object, kept), { type: 'json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function finalizerPatch({ metadata }: KubeObject, wanted: readonly string[]): unknown[] {
  const path = '/metadata/finalizers'
  if (metadata.finalizers === undefined) return [{ op: 'add', path, value: wanted }]
  return [
    { op: 'test', path, value: metadata.finalizers },
    { op: 'replace', path, value: wanted },
  ]
}

/** Refused where the object changed since it was seen. */
function guarded({ metadata }: KubeObject, patch: readonly unknown[]): unknown[] {
  return [{ op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion }, ...patch]
}

function referenceTo({ metadata }: KubeObject): { namespace?: string; name: string } {
  return { namespace: metadata.namespace, name: metadata.name ?? '' }
}
