import type { Node, Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { labelMatcher } from '@kubevirt-ts/scheduling'
import { fateOf } from './fate.ts'
import type { Fate } from './fate.ts'
import { fitOf } from './fit.ts'
import type { Fit } from './fit.ts'
import { launcherOf, movedTo, startedAnew } from './pods.ts'
import { exceededBy } from './quota.ts'
import { keyOf } from './seen.ts'
import type { Plan, Seen, Step } from './seen.ts'

/**
 * What a drain of the node does to each guest. Guests are planned one after the other, each on the roomiest node that
 * fits, so that two do not count on the same room. Pure: nothing moves.
 */
export function planOf(seen: Seen): Plan {
  const { node, configuration, migrations, hidden } = seen
  const { parallelOutboundMigrationsPerNode = 2, parallelMigrationsPerCluster = 5 } = configuration.migrations ?? {}
  const steps: Step[] = []
  let pods = seen.cluster.pods
  for (const vmi of seen.vmis.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const { step, placed } = stepOf(vmi, { ...seen, cluster: { ...seen.cluster, pods } })
    steps.push(step)
    if (placed) pods = [...pods.filter(({ metadata }) => metadata.uid !== placed.source.metadata.uid), placed.pod]
  }
  return {
    node: node.metadata.name,
    cordoned: node.spec?.unschedulable === true,
    limits: {
      perNode: parallelOutboundMigrationsPerNode,
      perCluster: parallelMigrationsPerCluster,
      underWay: migrations.length,
    },
    virtualMachines: steps,
    blocked: steps.filter(({ action }) => action === 'blocked').length,
    notKnown: hidden,
  }
}

interface Planned {
  readonly step: Step
  /** The pod that takes room elsewhere, and the one that goes. */
  readonly placed?: { readonly source: Pod; readonly pod: Pod }
}

type Head = Pick<Step, 'namespace' | 'name' | 'pod'>

function stepOf(vmi: VirtualMachineInstance, seen: Seen): Planned {
  const source = launcherOf(vmi, seen)
  const head: Head = {
    namespace: vmi.metadata.namespace ?? '',
    name: vmi.metadata.name,
    ...(source && { pod: source.metadata.name }),
  }
  const fate = fateOf(vmi, seen.vms.get(keyOf(vmi)), seen.configuration.evictionStrategy)
  if (source === undefined) return { step: { ...head, ...lost(vmi) } }
  switch (fate.kind) {
    case 'stays':
      return { step: { ...head, ...fate, action: 'blocked' } }
    case 'external':
      return { step: { ...head, action: 'external', reason: 'External', message: fate.message } }
    case 'moves':
      return move(head, vmi, source, seen)
    case 'ends':
      return end(head, vmi, source, fate, seen)
  }
}

const lost = ({ metadata }: VirtualMachineInstance) =>
  ({
    action: 'blocked',
    reason: 'NoPod',
    message: 'its launcher pod is not on the node any more, its end is not told yet',
    remedy: `look again soon; virtctl -n ${metadata.namespace} why ${metadata.name} tells more`,
  }) as const

function move(head: Head, vmi: VirtualMachineInstance, source: Pod, seen: Seen): Planned {
  const pod = movedTo(source, vmi, seen)
  const fit = elsewhere(pod, seen)
  if (fit.nodes.length === 0) return { step: nowhere(head, fit) }
  const [exceeded] = exceededBy(pod, seen.quotas)
  if (exceeded) {
    const step: Step = {
      ...head,
      action: 'blocked',
      reason: 'QuotaExceeded',
      message: `a guest has two pods while it moves: ${exceeded.message}`,
      remedy: `kubectl -n ${head.namespace} edit resourcequota ${exceeded.quota}`,
      ...fit,
    }
    return { step }
  }
  const underWay = seen.migrations.some(
    ({ metadata, spec }) => keyOf({ metadata: { ...metadata, name: spec.vmiName ?? '' } }) === keyOf(vmi),
  )
  const message = underWay ? 'is on its way already' : 'moves while it runs'
  return {
    step: { ...head, action: 'migrate', reason: 'LiveMigratable', message, ...fit },
    placed: on(fit, pod, source),
  }
}

function end(
  head: Head,
  vmi: VirtualMachineInstance,
  source: Pod,
  fate: Extract<Fate, { kind: 'ends' }>,
  seen: Seen,
): Planned {
  const budget = seen.budgets.find(
    ({ metadata, spec, status }) =>
      metadata.namespace === head.namespace &&
      status?.disruptionsAllowed === 0 &&
      labelMatcher(spec?.selector).matches(source.metadata.labels ?? {}),
  )
  if (budget) {
    const { name } = budget.metadata
    const step: Step = {
      ...head,
      action: 'blocked',
      reason: 'DisruptionBudget',
      message: `the disruption budget ${name} allows no eviction now`,
      remedy: `kubectl -n ${head.namespace} describe pdb ${name} tells what it waits for`,
    }
    return { step }
  }
  if (!fate.restarts) return { step: { ...head, action: 'stop', reason: 'Evicted', message: fate.message } }
  const pod = startedAnew(source, vmi)
  const fit = elsewhere(pod, seen)
  if (fit.nodes.length === 0) return { step: nowhere(head, fit) }
  return {
    step: { ...head, action: 'restart', reason: 'Evicted', message: fate.message, ...fit },
    placed: on(fit, pod, source),
  }
}

/** Where the pod fits when the node takes no pods any more. */
function elsewhere(pod: Pod, { node, cluster }: Seen): Fit {
  const { name } = node.metadata
  const cordoned: Node = { ...node, spec: { ...node.spec, unschedulable: true } }
  const nodes = cluster.nodes.map((each) => (each.metadata.name === name ? cordoned : each))
  const fit = fitOf(pod, { ...cluster, nodes })
  const { [name]: _own, ...refusals } = fit.refusals
  return { nodes: fit.nodes.filter((each) => each !== name), refusals }
}

function nowhere(head: Head, fit: Fit): Step {
  const reasons = Object.entries(fit.refusals).map(([node, why]) => `${node}: ${why.join(', ')}`)
  const isFull = Object.values(fit.refusals).some((why) =>
    why.some((each) => /^(Insufficient|Too many pods)/.test(each)),
  )
  return {
    ...head,
    action: 'blocked',
    reason: 'NoNodeFits',
    message: `no other node takes its pod${reasons.length === 0 ? '' : ` (${reasons.join('; ')})`}`,
    remedy: isFull
      ? 'add a node, or stop or move something there'
      : `add a node that fits; kubectl -n ${head.namespace} get pod ${head.pod} -o yaml shows what the pod asks for`,
    ...fit,
  }
}

function on({ nodes }: Fit, pod: Pod, source: Pod): Planned['placed'] {
  const [nodeName = ''] = nodes
  return { source, pod: { ...pod, spec: { ...pod.spec, nodeName } } }
}
