import type { ContainerStatus, Pod } from '@kubevirt-ts/api'
import { lastWords } from '@kubevirt-ts/vmispec'

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined

export const isFinished = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

/** How the launcher's process ended, if it did. */
export const launcherEnd = ({ status }: Pod) =>
  status?.containerStatuses?.find(({ name }) => name === 'compute')?.state?.terminated

/**
 * Whether the launcher is gone though the pod is not: one that waits for another container's image stays Pending after the
 * launcher's patience was over, and a launcher does not start twice.
 */
export const isLauncherDown = (pod: Pod): boolean => launcherEnd(pod) !== undefined

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

/** Why a container does not start, in the kubelet's words, and what that means. */
const obstacles: ReadonlyMap<string, 'image' | 'container'> = new Map([
  ['ErrImagePull', 'image'],
  ['ImagePullBackOff', 'image'],
  ['InvalidImageName', 'image'],
  ['ErrImageNeverPull', 'image'],
  ['ImageInspectError', 'image'],
  ['RegistryUnavailable', 'image'],
  ['SignatureValidationFailed', 'image'],
  ['CreateContainerConfigError', 'container'],
  ['CreateContainerError', 'container'],
  ['RunContainerError', 'container'],
])

/** Reasons that `containerProblem` tells. */
export const containerReasons: readonly string[] = [...obstacles.keys()]

/** The first container that waits in vain for its image or for what it is made of, with the kubelet's words. */
export function containerProblem(pod: Pod): { reason: string; message: string } | undefined {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  for (const { name, image, state } of statuses) {
    const { reason = '', message = reason } = state?.waiting ?? {}
    const obstacle = obstacles.get(reason)
    if (obstacle === undefined) continue
    const what =
      obstacle === 'image'
        ? `container ${name} cannot pull image ${imageOf(pod, name) ?? image}`
        : `container ${name} of pod ${pod.metadata.name} cannot be started`
    return { reason, message: `${what}: ${message}` }
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
