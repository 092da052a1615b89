import type { Pod } from '@kubevirt-ts/api'
import { isRejected, type NodeInfo, type PodInfo, type Snapshot } from '@kubevirt-ts/scheduling'
import type { CycleState } from './cycle-state.ts'
import type { Diagnosis } from './fit-error.ts'
import type { Framework } from './framework.ts'
import { PluginFailure } from './guard.ts'
import { messageOf, statusOf, failure, type Status } from './status.ts'

/** Further opinions on which nodes fit and how good they are: extenders. */
export interface Extender {
  readonly name: string
  /** Whether it has anything to say of the pod. */
  isInterested(pod: Pod): boolean
  /** Pods are scheduled without it when it fails. */
  readonly isIgnorable: boolean
  /** The nodes that stay, and why the others do not. */
  filter(
    pod: Pod,
    nodes: readonly NodeInfo[],
  ): Promise<{
    readonly nodes: readonly NodeInfo[]
    readonly refused: ReadonlyMap<string, Status>
  }>
  /** Weighted, by node name. */
  prioritize(pod: Pod, nodes: readonly NodeInfo[]): Promise<ReadonlyMap<string, number>>
  /** Binds in place of the plugins. */
  bind?(pod: Pod, node: string): Promise<void>
}

export interface ScheduleOptions {
  readonly percentageOfNodesToScore?: number
  /** Where to begin looking, so that no node is always first. */
  readonly startIndex?: number
  /** Pods that wait for room on a node which others were evicted for. */
  readonly nominatedTo?: (node: string) => readonly PodInfo[]
  readonly extenders?: readonly Extender[]
  readonly random?: () => number
}

export type ScheduleResult =
  | { readonly kind: 'fits'; readonly node: string; readonly feasible: number; readonly evaluated: number }
  | { readonly kind: 'unfit'; readonly diagnosis: Diagnosis; readonly status: Status }
  | { readonly kind: 'failed'; readonly status: Status }

const minFeasibleNodes = 100
const minPercentage = 5

/** Decides where the pod goes: PreFilter, Filter, PreScore, Score. Changes nothing but the cycle's state. */
export async function schedulePod(
  framework: Framework,
  pod: Pod,
  cycle: CycleState,
  options: ScheduleOptions = {},
): Promise<ScheduleResult> {
  try {
    return await decide(framework, pod, cycle, options)
  } catch (error) {
    return { kind: 'failed', status: error instanceof PluginFailure ? error.status : failure(error) }
  }
}

async function decide(
  framework: Framework,
  pod: Pod,
  cycle: CycleState,
  options: ScheduleOptions,
): Promise<ScheduleResult> {
  const { snapshot } = cycle
  if (snapshot.nodes.length === 0) {
    const status = statusOf('Unschedulable', 'no nodes available to schedule pods')
    return { kind: 'failed', status }
  }
  const { status, nodeNames, narrowedBy } = await framework.preFilter(pod, cycle)
  if (isRejected(status)) return refusedAsWhole(snapshot, status)
  if (status.code !== 'Success') return { kind: 'failed', status }
  const { feasible, statuses, evaluated } = await findFeasible(framework, pod, cycle, options, nodeNames)
  const left = await askExtenders(pod, feasible, statuses, options.extenders)
  if (left.length === 0) return unfit(snapshot, statuses, narrowedBy)
  const node = left.length === 1 ? left[0]! : await best(framework, pod, left, cycle, options)
  return { kind: 'fits', node: node.name, feasible: left.length, evaluated }
}

function refusedAsWhole(snapshot: Snapshot, status: Status): ScheduleResult {
  const plugins = new Set(status.plugin === undefined ? [] : [status.plugin])
  const preFilterMessage = messageOf(status)
  const diagnosis = { nodeCount: snapshot.nodes.length, statuses: new Map(), absent: status, preFilterMessage, plugins }
  return { kind: 'unfit', diagnosis, status }
}

function unfit(
  snapshot: Snapshot,
  statuses: ReadonlyMap<string, Status>,
  narrowedBy: readonly string[],
): ScheduleResult {
  const plugins = new Set(narrowedBy)
  for (const { plugin } of statuses.values()) if (plugin !== undefined) plugins.add(plugin)
  const names = narrowedBy.toSorted().join(' ')
  const absent = statusOf('UnschedulableAndUnresolvable', `node(s) didn't satisfy plugin(s) [${names}]`)
  const diagnosis = { nodeCount: snapshot.nodes.length, statuses, absent, plugins }
  return { kind: 'unfit', diagnosis, status: statusOf('Unschedulable') }
}

interface Found {
  readonly feasible: readonly NodeInfo[]
  readonly statuses: Map<string, Status>
  readonly evaluated: number
}

async function findFeasible(
  framework: Framework,
  pod: Pod,
  cycle: CycleState,
  options: ScheduleOptions,
  nodeNames: ReadonlySet<string> | undefined,
): Promise<Found> {
  const { snapshot } = cycle
  const nominated = pod.status?.nominatedNodeName
  const statuses = new Map<string, Status>()
  if (nominated) {
    // Others were evicted there for this pod: when it fits now, no other node is looked at.
    const node = nodeNames?.has(nominated) === false ? undefined : snapshot.node(nominated)
    if (node && (await fits(framework, pod, node, cycle, options)).code === 'Success') {
      return { feasible: [node], statuses, evaluated: 1 }
    }
  }
  const candidates = nodeNames === undefined ? snapshot.nodes : nodesNamed(snapshot, nodeNames)
  const wanted = enough(candidates.length, framework.percentageOfNodesToScore ?? options.percentageOfNodesToScore)
  const feasible: NodeInfo[] = []
  let evaluated = 0
  for (; evaluated < candidates.length && feasible.length < wanted; evaluated++) {
    const node = candidates[((options.startIndex ?? 0) + evaluated) % candidates.length]!
    const verdict = fits(framework, pod, node, cycle, options)
    const status = verdict instanceof Promise ? await verdict : verdict
    if (status.code === 'Success') feasible.push(node)
    else statuses.set(node.name, status)
  }
  return { feasible, statuses, evaluated }
}

function nodesNamed(snapshot: Snapshot, names: ReadonlySet<string>): NodeInfo[] {
  return [...names].map((name) => snapshot.node(name)).filter((node) => node !== undefined)
}

/** How many nodes that fit are enough to choose from: fewer in part as clusters grow, never fewer than 100. */
export function enough(nodeCount: number, percentage = 0): number {
  if (nodeCount < minFeasibleNodes) return nodeCount
  const part = percentage === 0 ? Math.max(minPercentage, 50 - Math.trunc(nodeCount / 125)) : percentage
  return Math.max(minFeasibleNodes, Math.trunc((nodeCount * part) / 100))
}

/** Also with the pods of the same or higher priority that wait for room on the node; and without them, as they may go elsewhere. */
function fits(
  framework: Framework,
  pod: Pod,
  node: NodeInfo,
  cycle: CycleState,
  { nominatedTo }: ScheduleOptions,
): Status | Promise<Status> {
  const waiting = (nominatedTo?.(node.name) ?? []).filter(
    (other) =>
      (other.pod.spec.priority ?? 0) >= (pod.spec.priority ?? 0) && other.pod.metadata.uid !== pod.metadata.uid,
  )
  if (waiting.length === 0) return framework.filter(pod, node, cycle)
  return withNominated(framework, pod, node, cycle, waiting)
}

async function withNominated(
  framework: Framework,
  pod: Pod,
  node: NodeInfo,
  cycle: CycleState,
  waiting: readonly PodInfo[],
): Promise<Status> {
  const crowded = node.clone()
  const copy = cycle.clone()
  for (const other of waiting) {
    crowded.addPod(other)
    framework.addPod(pod, other, crowded, copy)
  }
  const status = await framework.filter(pod, crowded, copy)
  return status.code === 'Success' ? framework.filter(pod, node, cycle) : status
}

async function askExtenders(
  pod: Pod,
  feasible: readonly NodeInfo[],
  statuses: Map<string, Status>,
  extenders: readonly Extender[] = [],
): Promise<readonly NodeInfo[]> {
  let left = feasible
  for (const extender of extenders) {
    if (left.length === 0) break
    if (!extender.isInterested(pod)) continue
    try {
      const { nodes, refused } = await extender.filter(pod, left)
      for (const [name, status] of refused) statuses.set(name, status)
      left = nodes
    } catch (error) {
      if (!extender.isIgnorable) throw error
    }
  }
  return left
}

async function best(
  framework: Framework,
  pod: Pod,
  nodes: readonly NodeInfo[],
  cycle: CycleState,
  { extenders = [], random = Math.random }: ScheduleOptions,
): Promise<NodeInfo> {
  const scores = await framework.score(pod, nodes, cycle)
  for (const extender of extenders) {
    if (!extender.isInterested(pod)) continue
    // An opinion that does not come only costs its weight.
    const extra = await extender.prioritize(pod, nodes).catch(() => new Map<string, number>())
    nodes.forEach(({ name }, index) => (scores[index]! += extra.get(name) ?? 0))
  }
  const most = scores.reduce((highest, score) => Math.max(highest, score), -Infinity)
  const tied = nodes.filter((_node, index) => scores[index] === most)
  return tied[Math.floor(random() * tied.length)]!
}
