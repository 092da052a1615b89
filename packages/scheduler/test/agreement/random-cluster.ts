import type { KubeObject, Node, PersistentVolumeClaim, Pod } from '@kubevirt-ts/api'
import type { CSINode, SchedulingStorageClass, SchedulingVolumeObject } from '@kubevirt-ts/scheduling'
import { randomNode, zoneLabel } from './random-nodes.ts'
import { randomPod } from './random-pods.ts'
import { randomStorage } from './random-storage.ts'
import { Random } from './random.ts'

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
    allowedTopologies: [{ matchLabelExpressions: [{ key: zoneLabel, values: ['z1'] }] }],
  },
]

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
