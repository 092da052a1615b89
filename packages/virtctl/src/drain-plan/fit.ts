import type { Pod } from '@kubevirt-ts/api'
import {
  interPodAffinity,
  nodeAffinity,
  nodeName,
  nodePorts,
  nodeResourcesFit,
  nodeResourcesFitScore,
  nodeUnschedulable,
  nodeVolumeLimits,
  podInfoOf,
  podTopologySpread,
  snapshotOf,
  taintToleration,
  volumeBinding,
  volumeRestrictions,
  volumeZone,
} from '@kubevirt-ts/scheduling'
import type { FilterRule, NodeInfo, Snapshot, SnapshotObjects } from '@kubevirt-ts/scheduling'

/** The filters that kube-scheduler has unless it is told otherwise. */
const filters: readonly FilterRule[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity(),
  nodePorts,
  nodeResourcesFit(),
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread(),
  interPodAffinity,
] as readonly FilterRule[]

export interface Fit {
  /** Nodes that take the pod, the roomiest first. */
  readonly nodes: readonly string[]
  /** Why the others do not, by node, in the scheduler's words. */
  readonly refusals: Readonly<Record<string, readonly string[]>>
}

/** Where the pod may go in this cluster, as a scheduler with the default profile sees it. Pure. */
export function fitOf(pod: Pod, objects: SnapshotObjects): Fit {
  const snapshot = snapshotOf(objects)
  const refusals = new Map<string, readonly string[]>()
  for (const rule of filters) refuse(rule, pod, snapshot, refusals)
  const feasible = snapshot.nodes.filter(({ name }) => !refusals.has(name))
  return { nodes: roomiestFirst(pod, feasible, snapshot), refusals: Object.fromEntries(refusals) }
}

/** Adds the nodes that the rule keeps the pod from; the first rule that refuses a node speaks for it. */
function refuse(rule: FilterRule, pod: Pod, snapshot: Snapshot, refusals: Map<string, readonly string[]>): void {
  const { verdict, state, nodeNames } = rule.prepare(podInfoOf(pod), snapshot)
  if (verdict.code === 'Skip') return
  for (const node of snapshot.nodes) {
    if (refusals.has(node.name)) continue
    if (verdict.code !== 'Success') refusals.set(node.name, verdict.reasons)
    else if (nodeNames !== undefined && !nodeNames.has(node.name))
      refusals.set(node.name, [`node(s) didn't satisfy plugin(s) [${rule.name}]`])
    else {
      const { code, reasons } = rule.filter(state, node)
      if (code !== 'Success') refusals.set(node.name, reasons)
    }
  }
}

function roomiestFirst(pod: Pod, nodes: readonly NodeInfo[], snapshot: Snapshot): string[] {
  const room = nodeResourcesFitScore()
  const state = room.prepare(podInfoOf(pod), nodes, snapshot)
  if (state === undefined) return nodes.map(({ name }) => name)
  const scored = nodes.map((node) => ({ name: node.name, score: room.score(state, node) }))
  return scored.toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1)).map(({ name }) => name)
}
