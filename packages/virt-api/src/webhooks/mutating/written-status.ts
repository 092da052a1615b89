import type { AdmissionRequest, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { AdmissionContext } from '../admitter.ts'
import { isKubeVirt } from '../admitter.ts'

type Status = VirtualMachineInstance['status']

/** The only thing that the scheduler has to say in a VMI's status: whether the VM can go home. */
const homeCondition = 'HomeAvailable'

/**
 * What stays of the status that somebody wrote; a VMI has no status subresource. KubeVirt's own may write all of it, the
 * scheduler its condition, others nothing.
 */
export function writtenStatus(request: AdmissionRequest, context: AdmissionContext, old: Status, next: Status): Status {
  if (isKubeVirt(request, context)) return next
  if (!isScheduler(request, context)) return old
  const others = (old?.conditions ?? []).filter(({ type }) => type !== homeCondition)
  const own = (next?.conditions ?? []).filter(({ type }) => type === homeCondition)
  return { ...old, conditions: [...others, ...own] }
}

function isScheduler({ userInfo }: AdmissionRequest, { namespace }: AdmissionContext): boolean {
  return userInfo.username === `system:serviceaccount:${namespace}:stickyvm-scheduler`
}
