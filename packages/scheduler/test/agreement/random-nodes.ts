import type { Node } from '@kubevirt-ts/api'
import type { Random } from './random.ts'

export const zoneLabel = 'topology.kubernetes.io/zone'

export const effects = ['NoSchedule', 'NoExecute', 'PreferNoSchedule']

export function randomNode(random: Random, name: string): Node {
  const labels: Record<string, string> = { 'kubernetes.io/hostname': name }
  if (random.chance(0.9)) labels[zoneLabel] = random.pick(['z1', 'z2', 'z3'])
  if (random.chance(0.8)) labels['disk'] = random.pick(['ssd', 'hdd'])
  if (random.chance(0.6)) labels['size'] = String(random.below(6))
  const taints = random.chance(0.35)
    ? [{ key: random.pick(['gpu', 'team']), value: random.pick(['x', 'y']), effect: random.pick(effects) }]
    : []
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { taints, ...(random.chance(0.12) ? { unschedulable: true } : {}) },
    status: {
      allocatable: {
        cpu: random.pick(['2', '4', '8', '3500m']),
        memory: random.pick(['4Gi', '8Gi', '16Gi']),
        pods: String(2 + random.below(8)),
        'ephemeral-storage': '20Gi',
        ...(random.chance(0.4) ? { 'example.com/gpu': String(1 + random.below(3)) } : {}),
      },
      images: random.chance(0.5) ? [{ names: ['example.com/app:latest'], sizeBytes: 900_000_000 }] : [],
    },
  }
}
