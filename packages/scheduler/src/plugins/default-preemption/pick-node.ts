import { priorityOf, type NodeInfo, type PodInfo } from '@kubevirt-ts/scheduling'

/** A node that would fit without some pods. */
export interface Candidate {
  readonly node: NodeInfo
  /** The most important one first. */
  readonly victims: readonly PodInfo[]
  /** How many disruption budgets would be broken. */
  readonly violations: number
}

/** Less is better; each question only decides between those that are equal before. */
const costs: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  ({ victims: [first] }) => (first === undefined ? -Infinity : priorityOf(first.pod)),
  // Shifted, so that several pods of negative priority cost more than one.
  ({ victims }) => victims.reduce((sum, { pod }) => sum + priorityOf(pod) + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }) => -latestStart(victims),
]

/** The node whose victims matter least. */
export function pickNode(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates
  for (const cost of costs) {
    const least = left.reduce((minimum, candidate) => Math.min(minimum, cost(candidate)), Infinity)
    left = left.filter((candidate) => cost(candidate) === least)
    if (left.length <= 1) break
  }
  return left[0]
}

/** When the most important victims started; who started last has done the least. */
function latestStart(victims: readonly PodInfo[]): number {
  const [first] = victims
  if (first === undefined) return 0
  const starts = victims
    .filter(({ pod }) => priorityOf(pod) === priorityOf(first.pod))
    .map(({ pod }) => Date.parse(pod.status?.startTime ?? '') || 0)
  return Math.min(...starts)
}
