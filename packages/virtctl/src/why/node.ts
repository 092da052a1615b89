import { annotation, label } from '@kubevirt-ts/api'
import type { Node } from '@kubevirt-ts/api'
import { blocking, notice, when } from './fact.ts'
import type { Fact, Link } from './fact.ts'
import { conditionOf, sinceOf } from './seen.ts'
import type { Seen } from './seen.ts'

type Look = (node: Node, seen: Seen) => Fact[]

/** virt-handler writes its heartbeat once a minute. */
const silentMs = 3 * 60_000

const notReady: Look = (node) => {
  const condition = conditionOf(node, 'Ready')
  return when(condition && condition.status !== 'True', () =>
    blocking(condition!.reason ?? 'NodeNotReady', `the node is not ready: ${condition!.message ?? condition!.status}`, {
      ...sinceOf(condition),
      fix: `kubectl describe node ${node.metadata.name}`,
    }),
  )
}

const silent: Look = ({ metadata }, { now }) => {
  const beat = metadata.annotations?.[annotation.heartbeat]
  const late = beat !== undefined && now.getTime() - Date.parse(beat) > silentMs
  return when(late, () =>
    blocking('NoHeartbeat', 'virt-handler of the node gives no sign of life', {
      since: beat!,
      fix: `kubectl get pods -A -l kubevirt.io=virt-handler --field-selector spec.nodeName=${metadata.name}`,
    }),
  )
}

const handlerDown: Look = ({ metadata }, { handler }) => {
  const ready = conditionOf(handler, 'Ready')
  return when(handler && ready?.status !== 'True', () =>
    blocking('HandlerNotReady', `virt-handler of the node is not ready (pod ${handler!.metadata.name})`, {
      ...sinceOf(ready),
      fix: `kubectl -n ${handler!.metadata.namespace} logs ${handler!.metadata.name}`,
    }),
  ).concat(
    when(!handler && metadata.labels?.[label.schedulable] === undefined, () =>
      blocking('NoHandler', 'no virt-handler has ever run on this node', {
        fix: 'kubectl get daemonset -A -l kubevirt.io=virt-handler',
      }),
    ),
  )
}

const closed: Look = ({ metadata, spec }) => [
  ...when(metadata.labels?.[label.schedulable] === 'false', () =>
    notice('NotSchedulable', 'virt-handler takes no new guests on this node', {
      fix: `kubectl get node ${metadata.name} --show-labels`,
    }),
  ),
  ...when(spec?.unschedulable, () =>
    notice('Cordoned', 'the node is closed for new pods: the guest would start elsewhere', {
      fix: `kubectl uncordon ${metadata.name}`,
    }),
  ),
]

const pressure: Look = (node) =>
  ['MemoryPressure', 'DiskPressure', 'PIDPressure'].flatMap((type) => {
    const condition = conditionOf(node, type)
    return when(condition?.status === 'True', () =>
      notice(type, `the node is short of something: ${condition!.message ?? type}`, {
        ...sinceOf(condition),
        fix: `kubectl describe node ${node.metadata.name}`,
      }),
    )
  })

const looks: readonly Look[] = [notReady, silent, handlerDown, closed, pressure]

export function nodeLink(seen: Seen): Link[] {
  const { node } = seen
  if (!node) return []
  return [
    {
      kind: 'Node',
      name: node.metadata.name,
      state: conditionOf(node, 'Ready')?.status === 'True' ? 'Ready' : 'NotReady',
      ...sinceOf(conditionOf(node, 'Ready')),
      facts: looks.flatMap((look) => look(node, seen)),
    },
  ]
}
