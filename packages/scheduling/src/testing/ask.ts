import type { Node, Pod } from '@kubevirt-ts/api'
import { podInfoOf, snapshotOf, type FilterRule, type SnapshotObjects } from '../index.ts'

export function pod(name: string, spec: Partial<Pod['spec']> = {}, labels: Record<string, string> = {}): Pod {
  return { metadata: { name, namespace: 'a', uid: name, labels }, spec: { containers: [], ...spec } }
}

export function asking(name: string, requests: Record<string, string>, spec: Partial<Pod['spec']> = {}): Pod {
  return pod(name, { containers: [{ name: 'c', resources: { requests } }], ...spec })
}

export function node(name: string, more: Partial<Node> & { labels?: Record<string, string> } = {}): Node {
  const allocatable = { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '10Gi', 'example.com/gpu': '2' }
  const { labels, ...rest } = more
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    status: { allocatable },
    ...rest,
  }
}

/** The verdict on each node in words: `ok`, or the reasons; a refusal of the pod itself stands alone. */
export function ask<S>(rule: FilterRule<S>, wanted: Pod, objects: SnapshotObjects): unknown {
  const snapshot = snapshotOf(objects)
  const { verdict, state } = rule.prepare(podInfoOf(wanted), snapshot)
  if (verdict.code === 'Skip') return 'skip'
  if (verdict.code !== 'Success') return `${verdict.code}: ${verdict.reasons.join(', ')}`
  return Object.fromEntries(
    snapshot.nodes.map((each) => {
      const { code, reasons } = rule.filter(state!, each)
      return [each.name, code === 'Success' ? 'ok' : `${code}: ${reasons.join(', ')}`]
    }),
  )
}

/** No eviction would make room. */
export const nowhere = 'UnschedulableAndUnresolvable'
