import { type VirtualMachineInstance, virtualMachineInstances } from '@kubevirt-ts/api'
import { isConflict, isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'
import { isDeepStrictEqual } from 'node:util'

const attempts = 8
const { kind } = virtualMachineInstances
const apiVersion = `${virtualMachineInstances.group}/${virtualMachineInstances.version}`

/**
 * Puts a change onto the freshest version of a VMI, at once again after a conflict: a verdict that waits for the next
 * event may come after the pod is gone, and a guest that powered off cleanly would count as failed.
 *
 * @param vmi the newest version at hand
 * @param change gives the wanted version for any version; called again after each conflict
 * @returns the version that the API server holds now, undefined when this VMI no longer exists
 */
export async function writeStatus(
  client: KubeClient,
  vmi: VirtualMachineInstance,
  change: (vmi: VirtualMachineInstance) => VirtualMachineInstance,
): Promise<VirtualMachineInstance | undefined> {
  let current: VirtualMachineInstance | undefined = vmi
  for (let attempt = 1; current !== undefined; attempt++) {
    const wanted = change(current)
    if (isDeepStrictEqual(wanted, current)) return current
    try {
      return await client.update(virtualMachineInstances, { apiVersion, kind, ...wanted })
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (!isConflict(error) || attempt === attempts) throw error
      current = await freshest(client, vmi)
    }
  }
  return undefined
}

/** A list of one: this service may list VMIs but not get one. Undefined when the VMI is gone or another has its name. */
export async function freshest(
  client: KubeClient,
  { metadata }: { readonly metadata: { namespace?: string; name?: string; uid?: string } },
): Promise<VirtualMachineInstance | undefined> {
  const { namespace, name, uid } = metadata
  const options = { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }) }
  const { items } = await client.list(virtualMachineInstances, options)
  return items.find((each) => each.metadata.uid === uid)
}
