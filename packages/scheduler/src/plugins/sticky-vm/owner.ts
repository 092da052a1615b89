import type { Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { controllerOf, keyFor, type Lister } from '@kubevirt-ts/controller'

/** What a pod belongs to. */
export interface Owner {
  readonly instance: VirtualMachineInstance
  readonly vm: VirtualMachine
}

interface Caches {
  readonly instances: Lister<VirtualMachineInstance>
  readonly virtualMachines: Lister<VirtualMachine>
}

/**
 * The instance and the VM that own the pod, by owner references and UIDs; undefined when it belongs to none. Throws when
 * an owner that is named is not there: the cache may be behind, and to guess could put the VM on another node.
 */
export function ownerOf(pod: Pod, { instances, virtualMachines }: Caches): Owner | undefined {
  const { namespace } = pod.metadata
  const ofPod = controllerOf({ metadata: pod.metadata })
  if (ofPod?.kind !== 'VirtualMachineInstance') return undefined
  const instance = instances.get(keyFor(namespace, ofPod.name))
  if (instance?.metadata.uid !== ofPod.uid) throw missing('VirtualMachineInstance', namespace, ofPod)
  const ofInstance = controllerOf(instance)
  if (ofInstance?.kind !== 'VirtualMachine') return undefined
  const vm = virtualMachines.get(keyFor(namespace, ofInstance.name))
  if (vm?.metadata.uid !== ofInstance.uid) throw missing('VirtualMachine', namespace, ofInstance)
  return { instance, vm }
}

function missing(kind: string, namespace: string | undefined, { name, uid }: { name: string; uid: string }): Error {
  return new Error(`the pod's ${kind} ${namespace}/${name} (UID ${uid}) is not known (yet); trying again`)
}
