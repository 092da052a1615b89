import type { Status } from './status.ts'

/** Why a pod fits nowhere. */
export interface Diagnosis {
  readonly nodeCount: number
  /** The verdict on each node that was looked at. */
  readonly statuses: ReadonlyMap<string, Status>
  /** For nodes that nobody looked at: the verdict that made that unnecessary. */
  readonly absent: Status
  /** When a PreFilter refused the pod itself. */
  readonly preFilterMessage?: string
  readonly postFilterMessage?: string
  /** Plugins that refused; only what helps one of them need wake the pod. */
  readonly plugins: ReadonlySet<string>
}

/** kube-scheduler's sentence: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. …` */
export function fitMessage(diagnosis: Diagnosis): string {
  const { nodeCount, preFilterMessage, postFilterMessage = '' } = diagnosis
  const why = preFilterMessage ?? histogram(diagnosis)
  return [`0/${nodeCount} nodes are available:`, ...(why === '' ? [] : [`${why}.`]), postFilterMessage]
    .filter((part) => part !== '')
    .join(' ')
}

function histogram({ nodeCount, statuses, absent }: Diagnosis): string {
  const counts = new Map<string, number>()
  const count = (reason: string, times: number) => counts.set(reason, (counts.get(reason) ?? 0) + times)
  for (const { reasons } of statuses.values()) for (const reason of reasons) count(reason, 1)
  if (statuses.size < nodeCount) for (const reason of absent.reasons) count(reason, nodeCount - statuses.size)
  return [...counts]
    .map(([reason, times]) => `${times} ${reason}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(', ')
}
