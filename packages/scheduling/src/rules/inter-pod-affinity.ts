import { matchesNothing, type Labels } from '../labels/label-selector.ts'
import { termMatches, type AffinityTerm, type WeightedTerm } from '../pod/affinity-terms.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { maxScore, prepared, skipped, type FilterRule, type ScoreRule } from '../rule.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { success, unresolvable, unschedulable } from '../verdict.ts'

const affinityMissed = unresolvable("node(s) didn't match pod affinity rules")
const antiAffinityMissed = unschedulable("node(s) didn't match pod anti-affinity rules")
const existingObject = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")

/** Numbers by topology key and value. */
class TopologyCounts {
  readonly #counts = new Map<string, Map<string, number>>()

  /** No pair has a count. */
  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  get(key: string, value: string): number {
    return this.#counts.get(key)?.get(value) ?? 0
  }

  /** Nodes without the key do not count. */
  add(key: string, { labels }: NodeInfo, amount: number): void {
    const value = labels[key]
    if (value === undefined) return
    const values = this.#counts.get(key) ?? new Map<string, number>()
    const sum = (values.get(value) ?? 0) + amount
    if (sum === 0) values.delete(value)
    else values.set(value, sum)
    if (values.size === 0) this.#counts.delete(key)
    else this.#counts.set(key, values)
  }

  keys(): Iterable<string> {
    return this.#counts.keys()
  }

  clone(): TopologyCounts {
    const copy = new TopologyCounts()
    for (const [key, values] of this.#counts) copy.#counts.set(key, new Map(values))
    return copy
  }
}

interface FilterState {
  readonly info: PodInfo
  readonly affinity: readonly AffinityTerm[]
  readonly antiAffinity: readonly AffinityTerm[]
  readonly namespaceLabels: Labels | undefined
  /** Where pods are whose own anti-affinity speaks of this pod. */
  readonly existing: TopologyCounts
  /** Where pods are that match all terms of affinity. */
  readonly affinityCounts: TopologyCounts
  readonly antiAffinityCounts: TopologyCounts
}

/** Keeps pods to where their affinity, their anti-affinity and the anti-affinity of others allow. */
export const interPodAffinity: FilterRule<FilterState> = {
  name: 'InterPodAffinity',
  prepare: (info, snapshot) => {
    const state: FilterState = {
      info,
      affinity: info.terms.affinity.map((term) => withNamespaces(term, snapshot)),
      antiAffinity: info.terms.antiAffinity.map((term) => withNamespaces(term, snapshot)),
      namespaceLabels: snapshot.namespaceLabels(info.pod.metadata.namespace ?? ''),
      existing: new TopologyCounts(),
      affinityCounts: new TopologyCounts(),
      antiAffinityCounts: new TopologyCounts(),
    }
    for (const node of snapshot.nodesWithRequiredAntiAffinity) {
      for (const other of node.pods) countExisting(state, other, node, 1)
    }
    const hasTerms = state.affinity.length > 0 || state.antiAffinity.length > 0
    if (hasTerms) for (const node of snapshot.nodes) for (const other of node.pods) countIncoming(state, other, node, 1)
    return hasTerms || !state.existing.isEmpty ? prepared(state) : skipped
  },
  filter: (state, node) => {
    if (!isAffinityMet(state, node)) return affinityMissed
    if (!isAntiAffinityMet(state, node)) return antiAffinityMissed
    return isAcceptedByExisting(state, node) ? success : existingObject
  },
  addPod: (state, added, node) => change(state, added, node, 1),
  removePod: (state, removed, node) => change(state, removed, node, -1),
  clone: (state) => ({
    ...state,
    existing: state.existing.clone(),
    affinityCounts: state.affinityCounts.clone(),
    antiAffinityCounts: state.antiAffinityCounts.clone(),
  }),
}

function change(state: FilterState, other: PodInfo, node: NodeInfo, sign: 1 | -1): void {
  countExisting(state, other, node, sign)
  countIncoming(state, other, node, sign)
}

function countExisting(state: FilterState, other: PodInfo, node: NodeInfo, sign: 1 | -1): void {
  for (const term of other.terms.antiAffinity) {
    if (termMatches(term, state.info.pod, state.namespaceLabels)) state.existing.add(term.topologyKey, node, sign)
  }
}

function countIncoming(state: FilterState, { pod }: PodInfo, node: NodeInfo, sign: 1 | -1): void {
  const { affinity, antiAffinity } = state
  if (affinity.length > 0 && affinity.every((term) => termMatches(term, pod, undefined))) {
    for (const { topologyKey } of affinity) state.affinityCounts.add(topologyKey, node, sign)
  }
  for (const term of antiAffinity) {
    if (termMatches(term, pod, undefined)) state.antiAffinityCounts.add(term.topologyKey, node, sign)
  }
}

function isAffinityMet({ affinity, affinityCounts, info }: FilterState, { labels }: NodeInfo): boolean {
  if (affinity.length === 0) return true
  if (affinity.some(({ topologyKey }) => labels[topologyKey] === undefined)) return false
  if (affinity.every(({ topologyKey }) => affinityCounts.get(topologyKey, labels[topologyKey]!) > 0)) return true
  // The first of a group of pods that want to be together finds none of them yet.
  return affinityCounts.isEmpty && affinity.every((term) => termMatches(term, info.pod, undefined))
}

function isAntiAffinityMet({ antiAffinity, antiAffinityCounts }: FilterState, { labels }: NodeInfo): boolean {
  if (antiAffinityCounts.isEmpty) return true
  return antiAffinity.every(
    ({ topologyKey }) =>
      labels[topologyKey] === undefined || antiAffinityCounts.get(topologyKey, labels[topologyKey]) <= 0,
  )
}

function isAcceptedByExisting({ existing }: FilterState, { labels }: NodeInfo): boolean {
  for (const key of existing.keys()) {
    if (labels[key] !== undefined && existing.get(key, labels[key]) > 0) return false
  }
  return true
}

/** Namespaces are chosen by their labels now, so that pods need only be asked for their namespace's name. */
function withNamespaces<T extends AffinityTerm>(term: T, { namespaces }: Snapshot): T {
  if (term.namespaceSelector.isEmpty || term.namespaceSelector === matchesNothing) return term
  const names = new Set(term.namespaces)
  for (const [name, labels] of namespaces) if (term.namespaceSelector.matches(labels)) names.add(name)
  return { ...term, namespaces: names, namespaceSelector: matchesNothing }
}

export interface InterPodAffinityOptions {
  /** What the required affinity of a pod that is already there weighs for the pod that it speaks of; 1 unless told. */
  readonly hardPodAffinityWeight?: number
  readonly ignorePreferredTermsOfExistingPods?: boolean
}

/** Prefers nodes near the pods that this one, or they, would like to be near to. */
export function interPodAffinityScore(options: InterPodAffinityOptions = {}): ScoreRule<TopologyCounts> {
  const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = options
  return {
    name: 'InterPodAffinity',
    prepare: (info, _feasible, snapshot) => {
      const affinity = info.terms.preferredAffinity.map((term) => withNamespaces(term, snapshot))
      const antiAffinity = info.terms.preferredAntiAffinity.map((term) => withNamespaces(term, snapshot))
      const hasOwn = affinity.length > 0 || antiAffinity.length > 0
      if (ignorePreferredTermsOfExistingPods && !hasOwn) return undefined
      const scores = new TopologyCounts()
      const pull = (node: NodeInfo, other: PodInfo) =>
        pullOfExisting({ scores, info, snapshot, hardPodAffinityWeight }, node, other)
      for (const node of hasOwn ? snapshot.nodes : snapshot.nodesWithAffinity) {
        for (const other of node.pods) {
          if (hasOwn) {
            weigh(scores, affinity, other, undefined, node, 1)
            weigh(scores, antiAffinity, other, undefined, node, -1)
          }
          if (other.hasAffinity) pull(node, other)
        }
      }
      return scores.isEmpty ? undefined : scores
    },
    score: (scores, { labels }) => {
      let sum = 0
      for (const key of scores.keys()) if (labels[key] !== undefined) sum += scores.get(key, labels[key])
      return sum
    },
    normalize: (_state, scores) => stretch(scores),
  }
}

function pullOfExisting(
  {
    scores,
    info,
    snapshot,
    hardPodAffinityWeight,
  }: { scores: TopologyCounts; info: PodInfo; snapshot: Snapshot; hardPodAffinityWeight: number },
  node: NodeInfo,
  { terms }: PodInfo,
): void {
  const labels = snapshot.namespaceLabels(info.pod.metadata.namespace ?? '')
  if (hardPodAffinityWeight > 0) {
    const required = terms.affinity.map((term) => ({ ...term, weight: hardPodAffinityWeight }))
    weigh(scores, required, info, labels, node, 1)
  }
  weigh(scores, terms.preferredAffinity, info, labels, node, 1)
  weigh(scores, terms.preferredAntiAffinity, info, labels, node, -1)
}

function weigh(
  scores: TopologyCounts,
  terms: readonly WeightedTerm[],
  { pod }: PodInfo,
  namespaceLabels: Labels | undefined,
  node: NodeInfo,
  sign: 1 | -1,
): void {
  for (const term of terms) {
    if (termMatches(term, pod, namespaceLabels)) scores.add(term.topologyKey, node, sign * term.weight)
  }
}

/** The least becomes 0 and the most `maxScore`; when all are equal nobody gets any. */
function stretch(scores: number[]): void {
  let least = Infinity
  let most = -Infinity
  for (const score of scores) {
    least = Math.min(least, score)
    most = Math.max(most, score)
  }
  const spread = most - least
  for (let index = 0; index < scores.length; index++) {
    scores[index] = spread > 0 ? Math.trunc(maxScore * ((scores[index]! - least) / spread)) : 0
  }
}
