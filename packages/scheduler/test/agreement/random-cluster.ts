import type { Affinity, KubeObject, Node, PersistentVolumeClaim, Pod, TopologySpreadConstraint } from '@kubevirt-ts/api'
import type { CSINode, SchedulingStorageClass, SchedulingVolumeObject } from '@kubevirt-ts/scheduling'

/** A cluster, and pods to ask about. */
export interface RandomCluster {
  readonly nodes: readonly Node[]
  readonly csiNodes: readonly CSINode[]
  readonly volumes: readonly SchedulingVolumeObject[]
  readonly claims: readonly PersistentVolumeClaim[]
  readonly placed: readonly Pod[]
  readonly candidates: readonly Pod[]
}

/** The same for every cluster. */
export const namespaces: readonly KubeObject[] = ['a', 'b'].map((name) => ({
  metadata: { name, labels: { team: name } },
}))

export const storageClasses: readonly SchedulingStorageClass[] = [
  {
    metadata: { name: 'local' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  },
  {
    metadata: { name: 'made' },
    provisioner: 'csi.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: zoneKey(), values: ['z1'] }] }],
  },
]

function zoneKey(): string {
  return 'topology.kubernetes.io/zone'
}

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** mulberry32: the same seed gives the same clusters everywhere. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => [this.next(), value] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, value]) => value)
  }
}

const apps = ['web', 'db', 'cache']
const effects = ['NoSchedule', 'NoExecute', 'PreferNoSchedule']

export function randomCluster(seed: number, candidateCount: number): RandomCluster {
  const random = new Random(seed)
  const prefix = `c${seed}`
  const nodes = Array.from({ length: 4 + random.below(4) }, (_, index) => randomNode(random, `${prefix}-n${index}`))
  const names = nodes.map(({ metadata }) => metadata.name)
  const { volumes, claims } = randomStorage(random, prefix, names)
  const placed = Array.from({ length: 3 + random.below(8) }, (_, index) => {
    const pod = randomPod(random, `${prefix}-x${index}`, { claims, names, isPlaced: true })
    pod.spec.nodeName = random.pick(names)
    return pod
  })
  const candidates = Array.from({ length: candidateCount }, (_, index) =>
    randomPod(random, `${prefix}-p${index}`, { claims, names, isPlaced: false }),
  )
  const csiNodes = names
    .filter(() => random.chance(0.9))
    .map((name) => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name },
      spec: {
        drivers: [{ name: 'csi.example.com', nodeID: name, allocatable: { count: random.chance(0.8) ? 1 : 2 } }],
      },
    }))
  return { nodes, csiNodes, volumes, claims, placed, candidates }
}

function randomNode(random: Random, name: string): Node {
  const labels: Record<string, string> = { 'kubernetes.io/hostname': name }
  if (random.chance(0.9)) labels[zoneKey()] = random.pick(['z1', 'z2', 'z3'])
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

function randomStorage(
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
  const labels = random.chance(0.5) ? { [zoneKey()]: random.pick(['z1', 'z2', 'z1__z2']) } : {}
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

interface PodOptions {
  readonly claims: readonly PersistentVolumeClaim[]
  readonly names: readonly string[]
  readonly isPlaced: boolean
}

/** Each wish is rare, so that often a single one decides. */
function randomPod(random: Random, name: string, { claims, names, isPlaced }: PodOptions): Pod {
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

function randomToleration(random: Random) {
  if (random.chance(0.3)) return { operator: 'Exists' as const }
  const key = random.pick(['gpu', 'team'])
  return random.chance(0.5)
    ? { key, operator: 'Exists' as const, effect: random.pick(effects) as 'NoSchedule' }
    : { key, value: random.pick(['x', 'y']) }
}

function randomSpread(random: Random): TopologySpreadConstraint {
  return {
    maxSkew: 1 + random.below(2),
    topologyKey: random.pick([zoneKey(), 'kubernetes.io/hostname', 'disk']),
    whenUnsatisfiable: random.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: { app: random.pick(apps) } },
    ...(random.chance(0.3) ? { nodeTaintsPolicy: 'Honor' as const } : {}),
    ...(random.chance(0.3) ? { nodeAffinityPolicy: 'Ignore' as const } : {}),
  }
}

function randomAffinity(random: Random, names: readonly string[]): Affinity {
  const podTerm = () => ({
    topologyKey: random.pick([zoneKey(), 'kubernetes.io/hostname']),
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
