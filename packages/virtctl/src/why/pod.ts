import type { ContainerStatus, Pod } from '@kubevirt-ts/api'
import { blocking, notice, when } from './fact.ts'
import type { Fact, Link } from './fact.ts'
import { conditionOf, kubectl, sinceOf } from './seen.ts'
import type { Seen } from './seen.ts'

type Look = (pod: Pod, seen: Seen) => Fact[]

/** What the scheduler's words point at, with what would make room. */
const remedies: readonly (readonly [RegExp, (seen: Seen) => string])[] = [
  [
    /devices\.kubevirt\.io\/kvm/,
    () => 'helm upgrade kubevirt charts/kubevirt -n kubevirt --reuse-values --set useEmulation=true',
  ],
  [/Insufficient (memory|cpu|hugepages)/, () => 'kubectl describe nodes | grep -A8 "Allocated resources"'],
  [/Insufficient/, () => 'kubectl get nodes -o custom-columns=NAME:.metadata.name,HAS:.status.allocatable'],
  [/untolerated taint/, () => 'kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints'],
  [/unschedulable/, () => 'kubectl get nodes; kubectl uncordon NODE'],
  [
    /affinity|selector/,
    (seen) => kubectl(seen, `get pod ${seen.pod!.metadata.name} -o jsonpath='{.spec.nodeSelector} {.spec.affinity}'`),
  ],
  [/persistentvolumeclaim|volume/i, (seen) => kubectl(seen, 'get pvc')],
]

const unschedulable: Look = (pod, seen) => {
  const condition = conditionOf(pod, 'PodScheduled')
  const message = condition?.message ?? 'no node takes it'
  const fix =
    remedies.find(([words]) => words.test(message))?.[1](seen) ?? kubectl(seen, `describe pod ${pod.metadata.name}`)
  return when(condition?.status === 'False', () =>
    blocking(condition!.reason ?? 'Unschedulable', `no node takes it: ${message}`, { ...sinceOf(condition), fix }),
  )
}

const unseen: Look = (pod) =>
  when(!pod.spec?.nodeName && !conditionOf(pod, 'PodScheduled') && pod.status?.phase === 'Pending', () =>
    blocking(
      'NotScheduled',
      `no scheduler has looked at it; it waits for ${pod.spec?.schedulerName ?? 'default-scheduler'}`,
      {
        ...(pod.metadata.creationTimestamp && { since: pod.metadata.creationTimestamp }),
        fix: 'kubectl get pods -A | grep scheduler',
      },
    ),
  )

const harmless = ['ContainerCreating', 'PodInitializing']

const containers: Look = (pod, seen) => {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  return [...initContainerStatuses, ...containerStatuses].flatMap((status) => container(status, pod, seen))
}

function container({ name, state, image, restartCount }: ContainerStatus, pod: Pod, seen: Seen): Fact[] {
  const { waiting, terminated } = state ?? {}
  const logs = kubectl(seen, `logs ${pod.metadata.name} -c ${name}`)
  if (waiting?.reason && !harmless.includes(waiting.reason)) {
    const isImage = /Image|Registry/.test(waiting.reason)
    const what = `container ${name} waits: ${waiting.message ?? waiting.reason}${isImage ? ` (image ${image})` : ''}`
    return [
      blocking(waiting.reason, what, {
        fix: isImage
          ? kubectl(seen, `edit vm ${seen.name}`)
          : restartCount > 0
            ? `${logs} --previous`
            : kubectl(seen, `describe pod ${pod.metadata.name}`),
      }),
    ]
  }
  return when(terminated && terminated.exitCode !== 0, () =>
    blocking(
      terminated!.reason ?? 'Error',
      `container ${name} ended with exit code ${terminated!.exitCode}${terminated!.message ? `: ${terminated!.message}` : ''}`,
      {
        ...(terminated!.finishedAt && { since: terminated!.finishedAt }),
        fix: terminated!.reason === 'OOMKilled' ? kubectl(seen, `edit vm ${seen.name}`) : logs,
      },
    ),
  )
}

const failed: Look = ({ status, metadata }, seen) =>
  when(status?.phase === 'Failed' && status.reason, () =>
    blocking(status!.reason!, status!.message ?? `the pod failed: ${status!.reason}`, {
      fix: kubectl(seen, `describe pod ${metadata.name}`),
    }),
  )

const slow: Look = (pod, seen) => {
  const { phase } = pod.status ?? {}
  const [warning] = seen.warnings.filter(({ involvedObject }) => involvedObject?.name === pod.metadata.name)
  return when(warning && phase === 'Pending' && pod.spec?.nodeName, () =>
    blocking(warning!.reason ?? 'Warning', warning!.message ?? 'the node can not start it', {
      ...((warning!.lastTimestamp ?? warning!.eventTime) && { since: (warning!.lastTimestamp ?? warning!.eventTime)! }),
      fix: kubectl(seen, `describe pod ${pod.metadata.name}`),
    }),
  )
}

const leaving: Look = ({ metadata }) =>
  when(metadata.deletionTimestamp, () =>
    notice('Terminating', 'the pod is being ended', { since: metadata.deletionTimestamp! }),
  )

const looks: readonly Look[] = [unschedulable, unseen, failed, containers, slow, leaving]

export function podLink(seen: Seen): Link[] {
  const { pod } = seen
  if (!pod) return []
  const ready = conditionOf(pod, 'Ready')?.status === 'True'
  return [
    {
      kind: 'Pod',
      name: pod.metadata.name,
      state: `${pod.status?.phase ?? 'Pending'}${ready ? ', ready' : ''}`,
      ...(pod.metadata.creationTimestamp && { since: pod.metadata.creationTimestamp }),
      facts: looks.flatMap((look) => look(pod, seen)),
    },
  ]
}
