import type { ContainerStatus, Pod } from '@kubevirt-ts/api'
import { lastWords } from '@kubevirt-ts/vmispec'
import { blocking, notice, when } from './fact.ts'
import type { Fact, Link } from './fact.ts'
import { failedMount } from './mount.ts'
import { change, conditionOf, kubectl, sinceOf, timeOf } from './seen.ts'
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
  [/affinity|selector/, (seen) => placed(seen)],
  [/persistentvolumeclaim|volume/i, (seen) => kubectl(seen, 'get pvc')],
]

/** With labels of the user's own, a node that has them; else whatever the pod asks of its node. */
function placed(seen: Seen): string {
  const labels = Object.entries(seen.vmi?.spec.nodeSelector ?? {}).map(([key, value]) => `${key}=${value}`)
  if (labels.length > 0) return `kubectl label node NODE ${labels.join(' ')}`
  return kubectl(seen, `get pod ${seen.pod!.metadata.name} -o jsonpath='{.spec.nodeSelector} {.spec.affinity}'`)
}

/** What the scheduler says of room that others would have to make for the pod; nobody has any for it. */
const ofPreemption = /\s*(no new claims to deallocate, )?preemption: .*$/s

const unschedulable: Look = (pod, seen) => {
  const condition = conditionOf(pod, 'PodScheduled')
  const message = condition?.message?.replace(ofPreemption, '') ?? 'nobody says why'
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
  const all = [...initContainerStatuses, ...containerStatuses]
  // Those that wait come first: the others have mostly ended because of them.
  const inOrder = [...all.filter(({ state }) => state?.waiting), ...all.filter(({ state }) => !state?.waiting)]
  return inOrder.flatMap((status) => container(status, pod, seen))
}

/** What kubelet and the container runtime write before what the registry says. */
const ofPull = /^(Back-off pulling image "[^"]*": )?(\w+: )?(rpc error: code = \w+ desc = )?/

const afterLast = (text: string, mark: string) =>
  text.includes(mark) ? text.slice(text.lastIndexOf(mark) + mark.length) : text

function container({ name, state, image, restartCount }: ContainerStatus, pod: Pod, seen: Seen): Fact[] {
  const { waiting, terminated } = state ?? {}
  const logs = kubectl(seen, `logs ${pod.metadata.name} -c ${name}`)
  if (waiting?.reason && !harmless.includes(waiting.reason)) {
    const isImage = /Image|Registry/.test(waiting.reason)
    const told = waiting.message ?? waiting.reason
    const what = isImage
      ? `can not get its image ${image}: ${afterLast(told, `${image}: `).replace(ofPull, '')}`
      : `waits: ${told}`
    return [
      blocking(waiting.reason, `container ${name} ${what}`, {
        ...sinceOf(conditionOf(pod, 'ContainersReady')),
        fix: isImage
          ? change(seen)
          : restartCount > 0
            ? `${logs} --previous`
            : kubectl(seen, `describe pod ${pod.metadata.name}`),
      }),
    ]
  }
  const words = lastWords(terminated?.message)
  return when(terminated && terminated.exitCode !== 0, () =>
    blocking(
      terminated!.reason ?? 'Error',
      `container ${name} ended with exit code ${terminated!.exitCode}${words ? `: ${words}` : ''}`,
      {
        ...(terminated!.finishedAt && { since: terminated!.finishedAt }),
        fix: terminated!.reason === 'OOMKilled' ? change(seen) : logs,
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

/** The node has it, but cannot start it; what containers say of themselves is nearer to the cause. */
const slow: Look = (pod, seen) => {
  const warning = seen.warnings.find(
    // Of the time before it had a node.
    ({ involvedObject, reason }) => involvedObject?.name === pod.metadata.name && reason !== 'FailedScheduling',
  )
  if (!warning || pod.status?.phase !== 'Pending' || !pod.spec?.nodeName || containers(pod, seen).length > 0) return []
  const { what, fix } = failedMount(warning, pod, seen)
  const since = warning.firstTimestamp ?? timeOf(warning)
  return [blocking(warning.reason ?? 'Warning', what, { ...(since && { since }), fix })]
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
