import type { Pod, TopologySpreadConstraint } from '@kubevirt-ts/api'
import { labelMatcher, withLabels, type LabelMatcher } from '../labels/label-selector.ts'
import type { NodeTest } from '../labels/node-selector.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { excluding, untolerated } from '../pod/tolerations.ts'
import { maxScore, prepared, skipped, type FilterRule, type ScoreRule } from '../rule.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { success, unresolvable, unschedulable } from '../verdict.ts'
import { requiredNodeTest } from './node-affinity.ts'

const tooUneven = unschedulable("node(s) didn't match pod topology spread constraints")
const labelMissing = unresolvable("node(s) didn't match pod topology spread constraints (missing required label)")
const hostname = 'kubernetes.io/hostname'

export interface SpreadOptions {
  /** For pods that have none of their own and belong to a service or workload. */
  readonly defaultConstraints?: readonly TopologySpreadConstraint[]
  /** The defaults are the scheduler's own ones, which also count nodes without their labels. */
  readonly isSystemDefault?: boolean
}

export const systemDefaultConstraints: readonly TopologySpreadConstraint[] = [
  { topologyKey: hostname, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
]

/** A constraint, compiled for one pod. */
interface Constraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly selector: LabelMatcher
  readonly minDomains: number
  readonly counts: (node: NodeInfo) => boolean
}

/** The pods that match each constraint, by value of its topology key. */
interface FilterState {
  readonly pod: Pod
  readonly constraints: readonly Constraint[]
  readonly domains: readonly Map<string, number>[]
  /** The least of each constraint's counts; worked out anew after a change. */
  leasts: (number | undefined)[]
}

/** Keeps pods from domains that would get too many more of their kind than the emptiest one. */
export function podTopologySpread(options: SpreadOptions = {}): FilterRule<FilterState> {
  return {
    name: 'PodTopologySpread',
    prepare: ({ pod }, snapshot) => {
      const constraints = constraintsOf(pod, 'DoNotSchedule', snapshot, options)
      return constraints.length === 0 ? skipped : prepared(countDomains(pod, constraints, snapshot))
    },
    filter: (state, node) => {
      for (let index = 0; index < state.constraints.length; index++) {
        const { topologyKey, selector, maxSkew } = state.constraints[index]!
        const value = node.labels[topologyKey]
        if (value === undefined) return labelMissing
        const matching = state.domains[index]!.get(value) ?? 0
        const self = selector.matches(state.pod.metadata.labels) ? 1 : 0
        if (matching + self - leastOf(state, index) > maxSkew) return tooUneven
      }
      return success
    },
    addPod: (state, added, node) => changeCounts(state, added, node, 1),
    removePod: (state, removed, node) => changeCounts(state, removed, node, -1),
    clone: (state) => ({
      ...state,
      domains: state.domains.map((counts) => new Map(counts)),
      leasts: [...state.leasts],
    }),
  }
}

function countDomains(pod: Pod, constraints: readonly Constraint[], { nodes }: Snapshot): FilterState {
  const domains = constraints.map(() => new Map<string, number>())
  for (const node of nodes) {
    if (!hasAllLabels(node, constraints)) continue
    constraints.forEach((constraint, index) => {
      if (!constraint.counts(node)) return
      const value = node.labels[constraint.topologyKey]!
      const counts = domains[index]!
      counts.set(value, (counts.get(value) ?? 0) + countMatching(node, constraint.selector, pod.metadata.namespace))
    })
  }
  return { pod, constraints, domains, leasts: constraints.map(() => undefined) }
}

/** With fewer domains than the pod wants, the missing ones count as empty. */
function leastOf(state: FilterState, index: number): number {
  const known = state.leasts[index]
  if (known !== undefined) return known
  const counts = state.domains[index]!
  const isShort = counts.size < state.constraints[index]!.minDomains
  let least = isShort ? 0 : Infinity
  if (!isShort) for (const count of counts.values()) least = Math.min(least, count)
  state.leasts[index] = least
  return least
}

function changeCounts(state: FilterState, { pod }: PodInfo, node: NodeInfo, sign: 1 | -1): void {
  if (pod.metadata.namespace !== state.pod.metadata.namespace || !hasAllLabels(node, state.constraints)) return
  state.constraints.forEach(({ selector, counts, topologyKey }, index) => {
    if (!selector.matches(pod.metadata.labels) || !counts(node)) return
    const value = node.labels[topologyKey]!
    state.domains[index]!.set(value, (state.domains[index]!.get(value) ?? 0) + sign)
    state.leasts[index] = undefined
  })
}

interface ScoreState {
  readonly namespace: string | undefined
  readonly constraints: readonly Constraint[]
  readonly ignored: ReadonlySet<string>
  readonly domains: readonly Map<string, number>[]
  readonly weights: readonly number[]
}

/** Prefers nodes in domains with few pods of this kind. */
export function podTopologySpreadScore(options: SpreadOptions = {}): ScoreRule<ScoreState> {
  return {
    name: 'PodTopologySpread',
    prepare: ({ pod }, feasible, snapshot) => {
      const constraints = constraintsOf(pod, 'ScheduleAnyway', snapshot, options)
      return constraints.length === 0 ? undefined : scoreState(pod, constraints, feasible, snapshot, options)
    },
    score: (state, node) => (state.ignored.has(node.name) ? 0 : Math.round(rawScore(state, node))),
    normalize: ({ ignored }, scores, nodes) => invert(scores, (index) => ignored.has(nodes[index]!.name)),
  }
}

function scoreState(
  pod: Pod,
  constraints: readonly Constraint[],
  feasible: readonly NodeInfo[],
  { nodes }: Snapshot,
  { isSystemDefault = false }: SpreadOptions,
): ScoreState {
  const needsAllLabels = (pod.spec.topologySpreadConstraints ?? []).length > 0 || !isSystemDefault
  const isIgnored = (node: NodeInfo) => needsAllLabels && !hasAllLabels(node, constraints)
  const ignored = new Set(feasible.filter(isIgnored).map(({ name }) => name))
  const domains = constraints.map(({ topologyKey }) => candidateDomains(topologyKey, feasible, ignored))
  for (const node of nodes) {
    if (isIgnored(node)) continue
    constraints.forEach(({ topologyKey, selector, counts }, index) => {
      const value = node.labels[topologyKey] ?? ''
      const known = domains[index]!.get(value)
      if (known === undefined || !counts(node)) return
      domains[index]!.set(value, known + countMatching(node, selector, pod.metadata.namespace))
    })
  }
  const weights = constraints.map(({ topologyKey }, index) =>
    Math.log((topologyKey === hostname ? feasible.length - ignored.size : domains[index]!.size) + 2),
  )
  return { namespace: pod.metadata.namespace, constraints, ignored, domains, weights }
}

/** Single nodes are counted when they are scored. */
function candidateDomains(
  key: string,
  feasible: readonly NodeInfo[],
  ignored: ReadonlySet<string>,
): Map<string, number> {
  if (key === hostname) return new Map()
  return new Map(feasible.filter(({ name }) => !ignored.has(name)).map(({ labels }) => [labels[key] ?? '', 0]))
}

function rawScore({ constraints, domains, weights, namespace }: ScoreState, node: NodeInfo): number {
  let score = 0
  constraints.forEach(({ topologyKey, selector, maxSkew }, index) => {
    const value = node.labels[topologyKey]
    if (value === undefined) return
    const count =
      topologyKey === hostname ? countMatching(node, selector, namespace) : (domains[index]!.get(value) ?? 0)
    score += count * weights[index]! + (maxSkew - 1)
  })
  return score
}

/** The fewest pods are best; ignored nodes get nothing. */
function invert(scores: number[], isIgnored: (index: number) => boolean): void {
  const counted = scores.filter((_score, index) => !isIgnored(index))
  let minimum = Infinity
  let maximum = 0
  for (const score of counted) {
    minimum = Math.min(minimum, score)
    maximum = Math.max(maximum, score)
  }
  for (let index = 0; index < scores.length; index++) {
    if (isIgnored(index)) scores[index] = 0
    else if (maximum === 0) scores[index] = maxScore
    else scores[index] = Math.trunc((maxScore * (maximum + minimum - scores[index]!)) / maximum)
  }
}

function constraintsOf(
  pod: Pod,
  action: TopologySpreadConstraint['whenUnsatisfiable'],
  snapshot: Snapshot,
  { defaultConstraints = [] }: SpreadOptions,
): Constraint[] {
  const own = pod.spec.topologySpreadConstraints ?? []
  const chosen = (own.length > 0 ? own : defaultConstraints).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === action,
  )
  if (chosen.length === 0) return []
  const isRequiredNode = requiredNodeTest(pod)
  if (own.length > 0) return chosen.map((constraint) => compile(pod, constraint, isRequiredNode))
  const selector = snapshot.ownerSelector(pod)
  if (selector === undefined || selector.isEmpty) return []
  return chosen.map((constraint) => ({ ...compile(pod, constraint, isRequiredNode), selector }))
}

function compile(pod: Pod, constraint: TopologySpreadConstraint, isRequiredNode: NodeTest): Constraint {
  const { matchLabelKeys = [], nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint
  const labels = pod.metadata.labels ?? {}
  const added = matchLabelKeys.filter((key) => labels[key] !== undefined).map((key) => [key, labels[key]!] as const)
  return {
    maxSkew: constraint.maxSkew,
    topologyKey: constraint.topologyKey,
    selector: withLabels(labelMatcher(constraint.labelSelector), Object.fromEntries(added)),
    minDomains: constraint.minDomains ?? 1,
    counts: ({ node }) =>
      (nodeAffinityPolicy === 'Ignore' || isRequiredNode(node)) &&
      (nodeTaintsPolicy === 'Ignore' || untolerated(node.spec?.taints, pod.spec.tolerations, excluding) === undefined),
  }
}

function hasAllLabels({ labels }: NodeInfo, constraints: readonly Constraint[]): boolean {
  return constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined)
}

/** Pods that are ending do not count, and a selector without requirements counts none. */
function countMatching({ pods }: NodeInfo, selector: LabelMatcher, namespace: string | undefined): number {
  if (selector.isEmpty) return 0
  let count = 0
  for (const { pod } of pods) {
    const { metadata } = pod
    if (metadata.namespace !== namespace || metadata.deletionTimestamp !== undefined) continue
    if (selector.matches(metadata.labels)) count += 1
  }
  return count
}
