import type { PersistentVolumeClaim } from '@kubevirt-ts/api'
import type { SchedulingVolumeObject } from '@kubevirt-ts/scheduling'
import { zoneLabel } from './random-nodes.ts'
import type { Random } from './random.ts'

export function randomStorage(
  random: Random,
  prefix: string,
  names: readonly string[],
): { readonly volumes: SchedulingVolumeObject[]; readonly claims: PersistentVolumeClaim[] } {
  const volumes: SchedulingVolumeObject[] = []
  const claims: PersistentVolumeClaim[] = []
  for (let index = 0; index < 5; index++) {
    const name = `${prefix}-v${index}`
    const volume = boundVolume(random, name, names)
    volumes.push(volume)
    claims.push(
      claimOf(
        `${prefix}-bound${index}`,
        {
          accessModes: [random.chance(0.3) ? 'ReadWriteOncePod' : 'ReadWriteOnce'],
          volumeName: name,
          storageClassName: '',
        },
        { 'pv.kubernetes.io/bind-completed': 'yes' },
      ),
    )
  }
  for (let index = 0; index < 2; index++) {
    volumes.push({ ...localVolume(random, `${prefix}-free${index}`, names), status: { phase: 'Available' } })
    claims.push(claimOf(`${prefix}-wait${index}`, { storageClassName: random.pick(['local', 'made']) }))
  }
  claims.push(claimOf(`${prefix}-now`, { storageClassName: '' }))
  return { volumes, claims }
}

function boundVolume(random: Random, name: string, names: readonly string[]): SchedulingVolumeObject {
  if (random.chance(0.35)) return localVolume(random, name, names)
  const labels: Record<string, string> = random.chance(0.5) ? { [zoneLabel]: random.pick(['z1', 'z2', 'z1__z2']) } : {}
  const spec = {
    capacity: { storage: '2Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'csi.example.com', volumeHandle: name },
  }
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name, labels }, spec }
}

function localVolume(random: Random, name: string, names: readonly string[]): SchedulingVolumeObject {
  const values = names.filter(() => random.chance(0.5))
  const key = 'kubernetes.io/hostname'
  const matchExpressions = [{ key, operator: 'In' as const, values: values.length > 0 ? values : [names[0]!] }]
  const spec = {
    capacity: { storage: random.pick(['1Gi', '3Gi']) },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'local',
    local: { path: '/nowhere' },
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
  }
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec }
}

function claimOf(name: string, spec: object, annotations: Record<string, string> = {}): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'a', annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  }
}
