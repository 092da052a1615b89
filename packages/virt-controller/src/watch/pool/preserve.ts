import { dataVolumes, label, persistentVolumeClaims } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType, VirtualMachine, VirtualMachinePool } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'

/** Whether disks and other state of members outlive them, for the next member of the name. */
export function preservesState({ spec }: VirtualMachinePool): boolean {
  const { opportunistic, proactive } = spec.scaleInStrategy ?? {}
  const wanted = proactive?.statePreservation ?? opportunistic?.statePreservation
  return wanted !== undefined && wanted !== 'Disabled'
}

/** Takes the VM's name off its DataVolumes and of the claim for its state, so that they stay when it goes. */
export async function preserveState(vm: VirtualMachine, client: KubeClient): Promise<void> {
  const { name, uid } = vm.metadata
  await release(vm, dataVolumes as ResourceType<KubeObject>, `${label.createdBy}=${uid}`, client)
  const claims = persistentVolumeClaims as unknown as ResourceType<KubeObject>
  await release(vm, claims, `${label.persistentStateFor}=${name}`, client)
}

async function release(
  { metadata: { namespace, uid } }: VirtualMachine,
  resource: ResourceType<KubeObject>,
  labelSelector: string,
  client: KubeClient,
): Promise<void> {
  for (const { metadata } of await listed(resource, { namespace: namespace ?? '', labelSelector }, client)) {
    const others = (metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid)
    if (others.length === (metadata.ownerReferences ?? []).length) continue
    const patch = [
      { op: 'test', path: '/metadata/ownerReferences', value: metadata.ownerReferences },
      { op: 'replace', path: '/metadata/ownerReferences', value: others },
    ]
    await client.patch(resource, { namespace: metadata.namespace, name: metadata.name }, patch, { type: 'json' })
  }
}

/** A cluster may have no DataVolumes at all. */
async function listed(
  resource: ResourceType<KubeObject>,
  selection: { readonly namespace: string; readonly labelSelector: string },
  client: KubeClient,
): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(resource, selection)).items
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}
