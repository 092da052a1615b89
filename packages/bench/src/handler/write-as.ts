import { isConflict, isNotFound, ApiError, type KubeClient } from '@kubevirt-ts/kubecli'
import type { Status, VirtualMachineInstance } from '@kubevirt-ts/api'

const account = 'system:serviceaccount:kubevirt:kubevirt-handler'

/**
 * Headers by which an administrator writes as the virt-handler of one node: the API server lets each write to its own
 * node and guests alone, and one process plays them all.
 */
export const asHandlerOf = (node: string): Record<string, string> => ({
  'impersonate-user': account,
  'impersonate-group': 'system:serviceaccounts:kubevirt',
  'impersonate-extra-authentication.kubernetes.io%2fnode-name': node,
})

/** Replaces a VMI as its node's virt-handler; false where another wrote first or the VMI is gone. */
export async function replaceVmi(client: KubeClient, vmi: VirtualMachineInstance): Promise<boolean> {
  const { namespace, name } = vmi.metadata
  const request = {
    method: 'PUT',
    path: `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}`,
    headers: asHandlerOf(vmi.status?.nodeName ?? ''),
    body: vmi,
  }
  const { status, body } = await client.request(request)
  if (status < 300) return true
  const error = new ApiError(JSON.parse(body.toString()) as Status, { request: `PUT ${name}` })
  if (isConflict(error) || isNotFound(error)) return false
  throw error
}
