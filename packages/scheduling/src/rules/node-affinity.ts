import type { Node, NodeAffinity, NodeSelectorTerm, Pod } from '@kubevirt-ts/api'
import { nodeSelectorTest, preferredWeight, type NodeTest } from '../labels/node-selector.ts'
import { normalizeByMaximum, prepared, refused, skipped, type FilterRule, type ScoreRule } from '../rule.ts'
import { success, unresolvable } from '../verdict.ts'

const refusal = unresolvable("node(s) didn't match Pod's node affinity/selector")
const enforced = unresolvable("node(s) didn't match scheduler-enforced node affinity")
const conflict = unresolvable('pod affinity terms conflict')

/** Whether a node has the labels of the pod's nodeSelector and one of the terms that its affinity requires. */
export function requiredNodeTest({ spec }: Pod): NodeTest {
  const wanted = Object.entries(spec.nodeSelector ?? {})
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const byAffinity = required ? nodeSelectorTest(required) : () => true
  if (wanted.length === 0) return byAffinity
  return (node) => wanted.every(([key, value]) => node.metadata.labels?.[key] === value) && byAffinity(node)
}

/** Keeps pods to the nodes of their nodeSelector and required affinity; the scheduler may add an affinity of its own. */
export function nodeAffinity(addedAffinity?: NodeAffinity): FilterRule<NodeTest> {
  const added = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const isAllowed = added ? nodeSelectorTest(added) : undefined
  return {
    name: 'NodeAffinity',
    prepare: ({ pod }) => {
      const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      if (!required && !isAllowed && !pod.spec.nodeSelector) return skipped
      const nodeNames = namedNodes(required?.nodeSelectorTerms ?? [])
      if (nodeNames?.size === 0) return refused(conflict)
      return { ...prepared(requiredNodeTest(pod)), ...(nodeNames ? { nodeNames } : {}) }
    },
    filter: (test, { node }) => {
      if (isAllowed?.(node) === false) return enforced
      return test(node) ? success : refusal
    },
  }
}

/** The nodes' names when every term names some: no other node can match. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  const names = new Set<string>()
  if (terms.length === 0) return undefined
  for (const { matchFields } of terms) {
    const sets = (matchFields ?? [])
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values }) => new Set(values))
    if (sets.length === 0) return undefined
    for (const name of [...sets[0]!].filter((each) => sets.every((set) => set.has(each)))) names.add(name)
  }
  return names
}

type Weights = readonly ((node: Node) => number)[]

/** Prefers nodes by the weights of the pod's, and the scheduler's own, preferred terms. */
export function nodeAffinityScore(addedAffinity?: NodeAffinity): ScoreRule<Weights> {
  const added = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  const ownWeights = added?.length ? [preferredWeight(added)] : []
  return {
    name: 'NodeAffinity',
    prepare: ({ pod }) => {
      const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
      if (!preferred && ownWeights.length === 0) return undefined
      return preferred ? [...ownWeights, preferredWeight(preferred)] : ownWeights
    },
    score: (weights, { node }) => weights.reduce((sum, weight) => sum + weight(node), 0),
    normalize: (_weights, scores) => normalizeByMaximum(scores),
  }
}
