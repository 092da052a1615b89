import { describe, expect, test } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import {
  imageLocality,
  interPodAffinityScore,
  nodeAffinityScore,
  nodeResourcesBalancedAllocation,
  nodeResourcesFitScore,
  podInfoOf,
  podTopologySpreadScore,
  snapshotOf,
  taintTolerationScore,
  type ScoreRule,
  type SnapshotObjects,
} from '../index.ts'
import { asking, pod } from '../testing/ask.ts'

const mebibyte = 1024 * 1024

function node(name: string, labels: Record<string, string> = {}, more: Partial<Node> = {}): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    status: { allocatable: { cpu: '4', memory: '10Gi', pods: '10' } },
    ...more,
  }
}

function scores<S>(rule: ScoreRule<S>, wanted: Pod, objects: SnapshotObjects): Record<string, number> | 'skip' {
  const snapshot = snapshotOf(objects)
  const state = rule.prepare(podInfoOf(wanted), snapshot.nodes, snapshot)
  if (state === undefined) return 'skip'
  const list = snapshot.nodes.map((each) => rule.score(state, each))
  rule.normalize?.(state, list, snapshot.nodes)
  return Object.fromEntries(snapshot.nodes.map(({ name }, index) => [name, list[index]!]))
}

describe('how full a node would be', () => {
  const nodes = [node('n1'), node('n2')]
  const pods = [asking('x', { cpu: '3', memory: '5Gi' }, { nodeName: 'n2' })]
  const wanted = asking('p', { cpu: '1', memory: '5Gi' })
  const resources = [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ]

  test('least allocated prefers the empty node', () => {
    expect(scores(nodeResourcesFitScore(), wanted, { nodes, pods })).toEqual({ n1: 62, n2: 0 })
  })

  test('most allocated prefers the full one', () => {
    const rule = nodeResourcesFitScore({ type: 'MostAllocated', resources })
    expect(scores(rule, wanted, { nodes, pods })).toEqual({ n1: 37, n2: 100 })
  })

  test('a shape gives the score between its points', () => {
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ]
    const rule = nodeResourcesFitScore({ type: 'RequestedToCapacityRatio', resources, shape })
    expect(scores(rule, wanted, { nodes, pods })).toEqual({ n1: 38, n2: 100 })
  })

  test('containers that ask for nothing count with 0.1 CPU and 200 MiB', () => {
    const rule = nodeResourcesFitScore({ type: 'LeastAllocated', resources: [{ name: 'cpu', weight: 1 }] })
    expect(scores(rule, asking('p', {}), { nodes: [node('n1')] })).toEqual({ n1: 97 })
  })

  test('balance prefers equal use, and leaves out pods that ask for nothing', () => {
    const rule = nodeResourcesBalancedAllocation()
    expect(scores(rule, asking('p', { cpu: '2', memory: '5Gi' }), { nodes: [node('n1')] })).toEqual({ n1: 100 })
    expect(scores(rule, asking('p', { cpu: '4' }), { nodes: [node('n1')] })).toEqual({ n1: 50 })
    expect(scores(rule, asking('p', {}), { nodes })).toBe('skip')
  })
})

test('fewer untolerated PreferNoSchedule taints are better', () => {
  const taint = (key: string) => ({ key, effect: 'PreferNoSchedule' })
  const nodes = [
    node('n1', {}, { spec: { taints: [taint('a'), taint('b')] } }),
    node('n2', {}, { spec: { taints: [taint('a')] } }),
    node('n3'),
  ]
  expect(scores(taintTolerationScore, pod('p'), { nodes })).toEqual({ n1: 0, n2: 50, n3: 100 })
})

test('preferred node affinity adds the weights that match', () => {
  const term = (key: string, weight: number) => ({
    weight,
    preference: { matchExpressions: [{ key, operator: 'Exists' as const }] },
  })
  const preferredDuringSchedulingIgnoredDuringExecution = [term('a', 1), term('b', 3)]
  const wanted = pod('p', { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } })
  const nodes = [node('n1', { a: '' }), node('n2', { a: '', b: '' }), node('n3')]
  expect(scores(nodeAffinityScore(), wanted, { nodes })).toEqual({ n1: 25, n2: 100, n3: 0 })
  expect(scores(nodeAffinityScore(), pod('p'), { nodes })).toBe('skip')
})

test('an image counts by its size and by how many nodes have it', () => {
  const status = { allocatable: {}, images: [{ names: ['r/i:latest'], sizeBytes: 1000 * mebibyte }] }
  const nodes = [node('n1', {}, { status }), node('n2')]
  const wanted = pod('p', { containers: [{ name: 'c', image: 'r/i' }] })
  expect(scores(imageLocality, wanted, { nodes })).toEqual({ n1: 48, n2: 0 })
})

test('spreading prefers domains with few pods, and gives nodes without the label nothing', () => {
  const labels = { app: 'x' }
  const constraint = {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'ScheduleAnyway' as const,
    labelSelector: { matchLabels: labels },
  }
  const nodes = [node('n1', { zone: 'a' }), node('n2', { zone: 'b' }), node('n3')]
  const pods = [pod('x', { nodeName: 'n1' }, labels), pod('y', { nodeName: 'n1' }, labels)]
  const wanted = pod('p', { topologySpreadConstraints: [constraint] }, labels)
  expect(scores(podTopologySpreadScore(), wanted, { nodes, pods })).toEqual({ n1: 0, n2: 100, n3: 0 })
})

test('preferred and existing pod affinity pull, anti-affinity pushes', () => {
  const term = (app: string) => ({ topologyKey: 'zone', labelSelector: { matchLabels: { app } } })
  const nodes = [node('n1', { zone: 'a' }), node('n2', { zone: 'b' }), node('n3', { zone: 'c' })]
  const pods = [
    pod('x', { nodeName: 'n1' }, { app: 'db' }),
    pod(
      'y',
      {
        nodeName: 'n2',
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('web')] } },
      },
      {},
    ),
  ]
  const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 2, podAffinityTerm: term('db') }]
  const wanted = pod(
    'p',
    { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } },
    { app: 'web' },
  )
  expect(scores(interPodAffinityScore(), wanted, { nodes, pods })).toEqual({ n1: 100, n2: 50, n3: 0 })
  expect(scores(interPodAffinityScore(), pod('p'), { nodes, pods })).toBe('skip')
})
