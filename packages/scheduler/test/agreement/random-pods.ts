import type { PersistentVolumeClaim, Pod } from '@kubevirt-ts/api'
import { apps, randomAffinity, randomSpread, randomToleration } from './random-wishes.ts'
import type { Random } from './random.ts'

interface PodOptions {
  readonly claims: readonly PersistentVolumeClaim[]
  readonly names: readonly string[]
  readonly isPlaced: boolean
}

/** Each wish is rare, so that often a single one decides. */
export function randomPod(random: Random, name: string, { claims, names, isPlaced }: PodOptions): Pod {
  const requests: Record<string, string> = {}
  if (random.chance(0.7)) requests['cpu'] = random.pick(['100m', '500m', '1', '2', '3'])
  if (random.chance(0.6)) requests['memory'] = random.pick(['100Mi', '1Gi', '3Gi', '6Gi'])
  const limits: Record<string, string> = { ...requests }
  if (random.chance(0.1)) requests['example.com/gpu'] = limits['example.com/gpu'] = String(1 + random.below(2))
  const ports = random.chance(0.2)
    ? [
        {
          containerPort: 80,
          hostPort: random.pick([80, 81]),
          protocol: random.pick(['TCP', 'UDP']),
          ...(random.chance(0.3) ? { hostIP: '127.0.0.1' } : {}),
        },
      ]
    : []
  const volumes = random.chance(isPlaced ? 0.35 : 0.3)
    ? [
        {
          name: 'v',
          persistentVolumeClaim: {
            claimName: random.pick(isPlaced ? claims.filter(({ spec }) => spec?.volumeName) : claims).metadata.name,
          },
        },
      ]
    : random.chance(0.08)
      ? [
          {
            name: 'v',
            iscsi: {
              targetPortal: '127.0.0.1',
              iqn: 'iqn.2001-04.com.example:x',
              lun: 0,
              readOnly: random.chance(0.4),
            },
          },
        ]
      : []
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: volumes.length > 0 || random.chance(0.8) ? 'a' : 'b',
      labels: { app: random.pick(apps) },
    },
    spec: {
      schedulerName: isPlaced ? 'nobody' : 'real',
      containers: [{ name: 'c', image: 'example.com/app', resources: { requests, limits }, ports }],
      terminationGracePeriodSeconds: 0,
      volumes: volumes as NonNullable<Pod['spec']['volumes']>,
      ...(random.chance(0.3) ? { tolerations: [randomToleration(random)] } : {}),
      ...(random.chance(0.12) ? { nodeSelector: { disk: random.pick(['ssd', 'hdd']) } } : {}),
      ...(random.chance(0.15) ? { topologySpreadConstraints: [randomSpread(random)] } : {}),
      ...(random.chance(0.35) ? { affinity: randomAffinity(random, names) } : {}),
    },
  }
}
