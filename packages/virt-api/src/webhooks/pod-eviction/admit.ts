import { annotation, label, pods, virtualMachineInstances } from '@kubevirt-ts/api'
import type { Pod, ResourceType, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Admission, AdmissionContext, Admitter } from '../admitter.ts'
import { decideEviction } from './decide.ts'

interface Eviction {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
  readonly deleteOptions?: { readonly dryRun?: readonly string[] }
}

const requestedBy = 'requested-by'
const descheduler = 'sigs.k8s.io/descheduler'

const tooMany = (message: string): Admission => ({ denied: { code: 429, message } })

/** Refuses to evict the pod of a guest that must move first, and asks for the move. All other pods may go. */
export const evictPod: Admitter = async (request, context) => {
  const pod = await find(context.client, pods, request.namespace, request.name)
  if (!pod) return {}
  if (pod.metadata.labels?.[label.app] === hotplugDisk) return evictHotplugPod(pod, request.namespace, context)
  if (pod.metadata.labels?.[label.app] !== 'virt-launcher' || isFinished(pod)) return {}
  const name = pod.metadata.annotations?.[annotation.domain]
  if (!name) return {}
  const vmi = await find(context.client, virtualMachineInstances, request.namespace, name).catch(
    (error: Error) => error,
  )
  if (vmi instanceof Error) return tooMany(`the VMI "${request.namespace}/${name}" can not be read: ${vmi.message}`)
  if (!vmi) return {}
  const decision = decideEviction(pod, vmi, context.settings.configuration.evictionStrategy)
  if (decision.kind === 'allow') return {}
  if (decision.kind === 'deny') return tooMany(decision.message)
  const eviction = (request.object ?? {}) as Eviction
  const dryRun = request.dryRun === true || (eviction.deleteOptions?.dryRun ?? []).includes('All')
  await mark(context, vmi, decision.node, eviction, dryRun)
  return tooMany(`Eviction triggered evacuation of VMI "${request.namespace}/${name}"`)
}

/** Pods that hold plugged in volumes for a launcher. */
const hotplugDisk = 'hotplug-disk'

/** A guest would lose its plugged in disks with the pod that holds them: it goes when the guest does. */
async function evictHotplugPod(
  pod: Pod,
  namespace: string | undefined,
  { client }: AdmissionContext,
): Promise<Admission> {
  const { ownerReferences = [], name } = pod.metadata
  const [owner] = ownerReferences
  if (!owner || ownerReferences.length !== 1 || owner.kind !== 'Pod') return {}
  const launcher = await find(client, pods, namespace, owner.name)
  const guest = launcher?.metadata.annotations?.[annotation.domain]
  if (!launcher || !guest || launcher.metadata.labels?.[label.app] !== 'virt-launcher' || isFinished(launcher))
    return {}
  const vmi = await find(client, virtualMachineInstances, namespace, guest)
  if (!vmi) return {}
  return tooMany(
    `cannot evict hotplug pod: ${name} associated with running vmi: ${vmi.metadata.name} in namespace ${namespace}`,
  )
}

const isFinished = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed'

async function mark(
  { client }: AdmissionContext,
  vmi: VirtualMachineInstance,
  node: string,
  eviction: Eviction,
  dryRun: boolean,
): Promise<void> {
  const source = eviction.metadata?.annotations?.[requestedBy] === descheduler
  const annotations = { ...vmi.metadata.annotations, [annotation.evictionSource]: 'descheduler' }
  const patch = [
    { op: 'add', path: '/status/evacuationNodeName', value: node },
    ...(source ? [{ op: 'add', path: '/metadata/annotations', value: annotations }] : []),
  ]
  const { namespace, name } = vmi.metadata
  await client.patch(virtualMachineInstances, { ...(namespace && { namespace }), name }, patch, {
    type: 'json',
    dryRun,
  })
}

async function find<T>(
  client: KubeClient,
  resource: ResourceType<T>,
  namespace: string | undefined,
  name: string | undefined,
): Promise<T | undefined> {
  try {
    return await client.get(resource, { ...(namespace && { namespace }), name: name ?? '' })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
