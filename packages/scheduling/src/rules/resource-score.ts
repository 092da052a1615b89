import type { PodInfo } from '../pod/pod-info.ts'
import { amountOf, isScalarName, type Resources } from '../pod/resources.ts'
import { maxScore, type ScoreRule } from '../rule.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'

export interface ResourceWeight {
  readonly name: string
  readonly weight: number
}

/** A point of a line from utilization (0..100 %) to score (0..10). */
export interface ShapePoint {
  readonly utilization: number
  readonly score: number
}

export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio'
  readonly resources: readonly ResourceWeight[]
  /** For RequestedToCapacityRatio; utilization rises from point to point. */
  readonly shape?: readonly ShapePoint[]
}

export const defaultResourceWeights: readonly ResourceWeight[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

export const leastAllocated: ScoringStrategy = { type: 'LeastAllocated', resources: defaultResourceWeights }

/** Prefers nodes by how much of them would be in use: little, much, or as a shape says. */
export function nodeResourcesFitScore(strategy: ScoringStrategy = leastAllocated): ScoreRule<Resources> {
  const { resources } = strategy
  const scoreOf = scorers[strategy.type](strategy)
  return {
    name: 'NodeResourcesFit',
    prepare: ({ nonZeroRequests }) => nonZeroRequests,
    score: (wanted, node) => scoreOf(usages(resources, wanted, node, node.nonZeroRequested)),
  }
}

/** Prefers nodes of which the same part of each resource would be in use. */
export function nodeResourcesBalancedAllocation(
  resources: readonly ResourceWeight[] = defaultResourceWeights,
): ScoreRule<Resources> {
  return {
    name: 'NodeResourcesBalancedAllocation',
    // Pods that ask for nothing would all go to the same, best balanced node.
    prepare: ({ requests }: PodInfo) =>
      resources.every(({ name }) => amountOf(requests, name) === 0) ? undefined : requests,
    score: (wanted, node) => balance(usages(resources, wanted, node, node.requested)),
  }
}

/** A resource of a node with the pod there. */
interface Usage {
  readonly weight: number
  readonly requested: number
  /** More than 0. */
  readonly capacity: number
}

function usages(
  resources: readonly ResourceWeight[],
  wanted: Resources,
  node: NodeInfo,
  cpuAndMemoryInUse: Resources,
): Usage[] {
  const found: Usage[] = []
  for (const { name, weight } of resources) {
    const amount = amountOf(wanted, name)
    if (amount === 0 && isScalarName(name)) continue
    const capacity = amountOf(node.allocatable, name)
    if (capacity === 0) continue
    const inUse = name === 'cpu' || name === 'memory' ? cpuAndMemoryInUse : node.requested
    found.push({ weight, requested: amountOf(inUse, name) + amount, capacity })
  }
  return found
}

type Scorer = (usages: readonly Usage[]) => number

const scorers: Readonly<Record<ScoringStrategy['type'], (strategy: ScoringStrategy) => Scorer>> = {
  LeastAllocated: () => (all) =>
    weighted(all, ({ requested, capacity }) =>
      requested > capacity ? 0 : Math.floor(((capacity - requested) * maxScore) / capacity),
    ),
  MostAllocated: () => (all) =>
    weighted(all, ({ requested, capacity }) => Math.floor((Math.min(requested, capacity) * maxScore) / capacity)),
  RequestedToCapacityRatio: ({ shape = [] }) => byShape(shape),
}

function weighted(all: readonly Usage[], score: (usage: Usage) => number): number {
  let sum = 0
  let weights = 0
  for (const usage of all) {
    sum += score(usage) * usage.weight
    weights += usage.weight
  }
  return weights === 0 ? 0 : Math.floor(sum / weights)
}

/** Resources that score 0 do not count at all. */
function byShape(shape: readonly ShapePoint[]): Scorer {
  const line = brokenLine(shape.map(({ utilization, score }) => ({ utilization, score: score * (maxScore / 10) })))
  return (all) => {
    let sum = 0
    let weights = 0
    for (const { requested, capacity, weight } of all) {
      const score = line(requested > capacity ? 100 : Math.floor((requested * 100) / capacity))
      if (score <= 0) continue
      sum += score * weight
      weights += weight
    }
    return weights === 0 ? 0 : Math.round(sum / weights)
  }
}

/** Between two points the line is straight, in whole numbers cut towards zero; before and after them it is level. */
function brokenLine(shape: readonly ShapePoint[]): (utilization: number) => number {
  return (utilization) => {
    const index = shape.findIndex((point) => utilization <= point.utilization)
    if (index < 0) return shape.at(-1)?.score ?? 0
    const to = shape[index]!
    const from = shape[index - 1]
    if (from === undefined) return to.score
    const rise = (to.score - from.score) * (utilization - from.utilization)
    return from.score + Math.trunc(rise / (to.utilization - from.utilization))
  }
}

function balance(all: readonly Usage[]): number {
  const fractions = all.map(({ requested, capacity }) => Math.min(1, requested / capacity))
  return Math.trunc((1 - deviation(fractions)) * maxScore)
}

function deviation(fractions: readonly number[]): number {
  const [first = 0, second = 0] = fractions
  if (fractions.length < 2) return 0
  if (fractions.length === 2) return Math.abs((first - second) / 2)
  const mean = fractions.reduce((sum, each) => sum + each, 0) / fractions.length
  return Math.sqrt(fractions.reduce((sum, each) => sum + (each - mean) * (each - mean), 0) / fractions.length)
}
