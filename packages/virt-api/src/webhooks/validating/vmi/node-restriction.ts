import type { AdmissionRequest, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Admission } from '../../admitter.ts'

/** Where the API server says on which node the pod of a service account runs. */
const nodeNameExtra = 'authentication.kubernetes.io/node-name'

const denied = (message: string): Admission => ({ denied: { code: 403, message } })

/**
 * A virt-handler writes only to guests that are on its node or on their way to it, and does not choose where one goes.
 * Undefined when the write is well.
 */
export function outsideOwnNode(
  { userInfo }: AdmissionRequest,
  old: VirtualMachineInstance,
  next: VirtualMachineInstance,
): Admission | undefined {
  const node = userInfo.extra?.[nodeNameExtra]?.[0]
  if (!node) {
    return denied(
      `Node restriction, virt-handler service account must be bound to a node: the API server tells none (${nodeNameExtra})`,
    )
  }
  const [source, target] = [old.status?.nodeName, old.status?.migrationState?.targetNode]
  if (node !== source && node !== target) {
    return denied(
      `Node restriction, virt-handler is only allowed to modify VMIs it owns; this one is on ${source ?? 'no node'}, not on ${node}`,
    )
  }
  if (next.status?.migrationState?.targetNode === target) return undefined
  return denied('Node restriction, virt-handler is not allowed to set the target node of a migration')
}
