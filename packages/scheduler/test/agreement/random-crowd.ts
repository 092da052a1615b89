import type { Affinity, Node, Pod, PodDisruptionBudget } from '@kubevirt-ts/api'
import { Random } from './random.ts'

/** Nodes that are full of pods of several priorities, and a pod that may have to push some out. */
export interface Crowd {
  readonly nodes: readonly Node[]
  readonly placed: readonly Pod[]
  readonly budgets: readonly PodDisruptionBudget[]
  readonly candidate: Pod
}

/** By name of the class; pods of the last one push nobody out. */
export const priorities: Readonly<Record<string, { readonly value: number; readonly preemptionPolicy?: 'Never' }>> = {
  least: { value: -10 },
  low: { value: 1 },
  middle: { value: 50 },
  high: { value: 100 },
  patient: { value: 100, preemptionPolicy: 'Never' },
}

const apps = ['web', 'db', 'cache']
const hostname = 'kubernetes.io/hostname'
const zone = 'topology.kubernetes.io/zone'

export function randomCrowd(seed: number): Crowd {
  const random = new Random(seed)
  const prefix = `k${seed}`
  const nodes = Array.from({ length: 3 + random.below(3) }, (_, index) => randomNode(random, `${prefix}-n${index}`))
  const placed = nodes.flatMap(({ metadata: { name } }) =>
    Array.from({ length: 2 + random.below(4) }, (_, index) => placedPod(random, `${name}-x${index}`, name)),
  )
  // Each started at another time, so that no choice is left to chance.
  const seconds = random.shuffled(placed.map((_, index) => index))
  const started = placed.map((pod, index) => ({
    ...pod,
    status: { startTime: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds[index]!)).toISOString().replace('.000', '') },
  }))
  const budgets = apps.filter(() => random.chance(0.3)).map((app) => budgetOf(`${prefix}-${app}`, app, random.below(3)))
  return { nodes, placed: started, budgets, candidate: candidateOf(random, `${prefix}-p`) }
}

function randomNode(random: Random, name: string): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [hostname]: name, [zone]: random.pick(['z1', 'z2']) } },
    spec: {
      ...(random.chance(0.08) ? { unschedulable: true } : {}),
      ...(random.chance(0.1) ? { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } : {}),
    },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: String(3 + random.below(4)) } },
  }
}

function placedPod(random: Random, name: string, nodeName: string): Pod {
  const pod = podOf(random, name, random.pick(['least', 'low', 'low', 'middle', 'high']))
  const affinity = random.chance(0.1) ? { affinity: against(random) } : {}
  return { ...pod, spec: { ...pod.spec, schedulerName: 'nobody', nodeName, ...affinity } }
}

function candidateOf(random: Random, name: string): Pod {
  const pod = podOf(random, name, random.pick(['low', 'middle', 'middle', 'high', 'high', 'high', 'patient']))
  const containers = [
    { ...pod.spec.containers[0]!, resources: { requests: { cpu: random.pick(['1', '2', '3']), memory: '2Gi' } } },
  ]
  return {
    ...pod,
    spec: {
      ...pod.spec,
      schedulerName: 'real',
      containers,
      ...(random.chance(0.2) ? { affinity: against(random) } : {}),
      ...(random.chance(0.2) ? { topologySpreadConstraints: [spread(random)] } : {}),
    },
  }
}

function podOf(random: Random, name: string, priorityClassName: string): Pod {
  const requests = { cpu: random.pick(['500m', '1', '1500m']), memory: random.pick(['500Mi', '1Gi', '2Gi']) }
  const ports = random.chance(0.15) ? [{ containerPort: 80, hostPort: 80 }] : []
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'a', labels: { app: random.pick(apps) } },
    spec: { priorityClassName, containers: [{ name: 'c', image: 'example.com/app', resources: { requests }, ports }] },
  }
}

function against(random: Random): Affinity {
  const labelSelector = { matchLabels: { app: random.pick(apps) } }
  const topologyKey = random.pick([hostname, zone])
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey }] } }
}

function spread(random: Random) {
  return {
    maxSkew: 1,
    topologyKey: random.pick([hostname, zone]),
    whenUnsatisfiable: 'DoNotSchedule' as const,
    labelSelector: { matchLabels: { app: random.pick(apps) } },
  }
}

function budgetOf(name: string, app: string, disruptionsAllowed: number): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'a' },
    spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }
}
