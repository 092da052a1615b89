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
  if (!pod || pod.metadata.labels?.[label.app] !== 'virt-launcher' || isFinished(pod)) return {}
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
