import type { ContainerStatus, Pod } from '@kubevirt-ts/api'
import { lastWords } from '@kubevirt-ts/vmispec'

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined

export const isFinished = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

/**
 * Whether the launcher is gone though the pod is not: one that waits for another container's image stays Pending after the
 * launcher's patience was over, and a launcher does not start twice.
 */
export const isLauncherDown = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(({ name, state }) => name === 'compute' && state?.terminated !== undefined) ?? false

/** Containers whose being Running is enough: readiness of the guest is not a condition of the hand-over. */
const runningIsEnough = new Set(['compute', 'istio-proxy'])

/**
 * Whether the pod can be handed to the node agent: alive, Running, every container ready.
 * The pod's readiness gate is not asked, since only the running guest opens it.
 */
export function isReadyForHandOver(pod: Pod): boolean {
  if (isTerminating(pod) || isFinished(pod) || pod.status?.phase !== 'Running') return false
  const statuses = pod.status.containerStatuses ?? []
  return statuses.length > 0 && statuses.every(containerServes)
}

function containerServes({ name, ready, state }: ContainerStatus): boolean {
  return runningIsEnough.has(name) ? state?.running !== undefined : ready
}

/** The first container that waits for its image in vain, with the kubelet's words. */
export function imagePullProblem(pod: Pod): { reason: string; message: string } | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  for (const { name, image, state } of statuses) {
    const waiting = state?.waiting
    if (waiting?.reason !== 'ErrImagePull' && waiting?.reason !== 'ImagePullBackOff') continue
    const wanted = imageOf(pod, name) ?? image
    return {
      reason: waiting.reason,
      message: `container ${name} cannot pull image ${wanted}: ${waiting.message ?? waiting.reason}`,
    }
  }
  return undefined
}

function imageOf(pod: Pod, container: string): string | undefined {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]
  return all.find(({ name }) => name === container)?.image
}

/** Why a pod ended, in one sentence: the kubelet's words, or those of the container that ended it. */
export function howItEnded({ metadata, status }: Pod): string {
  const ended = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const culprit = ended.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)
  const { exitCode, reason, message } = culprit?.state?.terminated ?? {}
  const words = [status?.reason, status?.message].filter(Boolean).join(': ')
  if (culprit === undefined) return `virt-launcher pod ${metadata.name} ended${words === '' ? '' : `: ${words}`}`
  const why = [reason, lastWords(message)].filter(Boolean).join(': ')
  return `container ${culprit.name} of virt-launcher pod ${metadata.name} ended with code ${exitCode}${why === '' ? '' : ` (${why})`}`
}
