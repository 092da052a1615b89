import type { Affinity, TopologySpreadConstraint } from '@kubevirt-ts/api'
import { effects, zoneLabel } from './random-nodes.ts'
import type { Random } from './random.ts'

export const apps = ['web', 'db', 'cache']

export function randomToleration(random: Random) {
  if (random.chance(0.3)) return { operator: 'Exists' as const }
  const key = random.pick(['gpu', 'team'])
  return random.chance(0.5)
    ? { key, operator: 'Exists' as const, effect: random.pick(effects) as 'NoSchedule' }
    : { key, value: random.pick(['x', 'y']) }
}

export function randomSpread(random: Random): TopologySpreadConstraint {
  return {
    maxSkew: 1 + random.below(2),
    topologyKey: random.pick([zoneLabel, 'kubernetes.io/hostname', 'disk']),
    whenUnsatisfiable: random.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: { app: random.pick(apps) } },
    ...(random.chance(0.3) ? { nodeTaintsPolicy: 'Honor' as const } : {}),
    ...(random.chance(0.3) ? { nodeAffinityPolicy: 'Ignore' as const } : {}),
  }
}

export function randomAffinity(random: Random, names: readonly string[]): Affinity {
  const podTerm = () => ({
    topologyKey: random.pick([zoneLabel, 'kubernetes.io/hostname']),
    labelSelector: { matchLabels: { app: random.pick(apps) } },
    ...(random.chance(0.3) ? { namespaceSelector: random.chance(0.5) ? {} : { matchLabels: { team: 'b' } } } : {}),
  })
  const nodeTerm = () => ({ matchExpressions: [randomRequirement(random)] })
  const weight = 1 + random.below(50)
  switch (random.below(6)) {
    case 0:
      return {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [nodeTerm(), nodeTerm()] },
        },
      }
    case 1: {
      const matchFields = [
        { key: 'metadata.name', operator: random.pick(['In', 'NotIn'] as const), values: [random.pick(names)] },
      ]
      return {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
      }
    }
    case 2:
      return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference: nodeTerm() }] } }
    case 3:
      return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [podTerm()] } }
    case 4:
      return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [podTerm()] } }
    default:
      return {
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: podTerm() }] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: podTerm() }],
        },
      }
  }
}

function randomRequirement(random: Random) {
  switch (random.below(4)) {
    case 0:
      return { key: 'size', operator: random.pick(['Gt', 'Lt'] as const), values: [String(random.below(6))] }
    case 1:
      return { key: random.pick(['disk', 'size']), operator: random.pick(['Exists', 'DoesNotExist'] as const) }
    default:
      return { key: 'disk', operator: random.pick(['In', 'NotIn'] as const), values: [random.pick(['ssd', 'hdd'])] }
  }
}
