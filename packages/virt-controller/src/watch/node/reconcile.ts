import { nodes, virtualMachineInstances } from '@kubevirt-ts/api'
import type { Node, Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { pointer } from '@kubevirt-ts/controller'
import type { EventRecorder, Lister, ReconcileResult } from '@kubevirt-ts/controller'
import { isInvalid, isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { isSchedulable, isUnresponsive, lostGuests, schedulableLabel } from './responsiveness.ts'

export interface Deps {
  readonly client: KubeClient
  readonly nodes: Lister<Node>
  /** With index `byNode`. */
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index `byVmiUid`. */
  readonly pods: Lister<Pod>
  readonly events: Pick<EventRecorder, 'event'>
  readonly now: () => Date
}

const recheckMs = 60_000
const reason = 'NodeUnresponsive'

/** Looks after one node: takes it out of scheduling once its agent is silent, and ends the guests that went with it. */
export async function reconcile(name: string, deps: Deps): Promise<ReconcileResult | void> {
  const node = deps.nodes.get(name)
  const vmis = deps.vmis.byIndex('byNode', name)
  if (node !== undefined && !isUnresponsive(node, deps.now())) return { requeueAfter: recheckMs }
  if (node !== undefined && isSchedulable(node)) await takeOut(node, deps)
  const podsOf = (vmi: VirtualMachineInstance): Pod[] => deps.pods.byIndex('byVmiUid', vmi.metadata.uid ?? '')
  for (const vmi of lostGuests(vmis, podsOf)) await fail(vmi, name, deps)
  if (node !== undefined || vmis.length > 0) return { requeueAfter: recheckMs }
}

async function takeOut(node: Node, { client, events }: Deps): Promise<void> {
  const path = pointer('metadata', 'labels', schedulableLabel)
  const patch = [
    { op: 'test', path, value: 'true' },
    { op: 'replace', path, value: 'false' },
  ]
  await client.patch(nodes, { name: node.metadata.name }, patch, { type: 'json' })
  events.event(node, 'Warning', reason, 'virt-handler is not responsive, marking node as unresponsive')
}

async function fail(vmi: VirtualMachineInstance, node: string, { client, events }: Deps): Promise<void> {
  const { namespace, name } = vmi.metadata
  const patch = [
    { op: 'test', path: '/status/phase', value: vmi.status?.phase },
    { op: 'replace', path: '/status/phase', value: 'Failed' },
    { op: 'add', path: '/status/reason', value: reason },
  ]
  try {
    await client.patch(virtualMachineInstances, { namespace, name }, patch, { type: 'json' })
    const message = `virt-handler on node ${node} is not responsive and no launcher pod is left, so the guest is lost`
    events.event(vmi, 'Warning', reason, message)
  } catch (error) {
    // It moved on or went in the meantime; if it still needs us the next pass sees it.
    if (!isNotFound(error) && !isInvalid(error)) throw error
  }
}
