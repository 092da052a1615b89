import type { Node, Pod } from '@kubevirt-ts/api'
import type { LabelMatcher, Labels } from '../labels/label-selector.ts'
import { isTerminal } from '../pod/pod.ts'
import { podInfoOf } from '../pod/pod-info.ts'
import { NodeInfo } from './node-info.ts'
import { volumesFrom, type VolumeObjects, type Volumes } from './volumes.ts'

/** A cluster as one scheduling decision sees it. */
export interface Snapshot {
  readonly nodes: readonly NodeInfo[]
  node(name: string): NodeInfo | undefined
  /** Nodes with a pod that has terms of pod (anti-)affinity. */
  readonly nodesWithAffinity: readonly NodeInfo[]
  readonly nodesWithRequiredAntiAffinity: readonly NodeInfo[]
  /** How many nodes have an image. */
  imageSpread(image: string): number
  /** Whether some pod on a node uses the claim `namespace/name`. */
  isClaimInUse(key: string): boolean
  namespaceLabels(name: string): Labels | undefined
  readonly namespaces: Iterable<readonly [name: string, labels: Labels]>
  readonly volumes: Volumes
  /** Selects the pods of the services and workloads that the pod belongs to; undefined when there are none. */
  ownerSelector(pod: Pod): LabelMatcher | undefined
}

export interface SnapshotObjects extends VolumeObjects {
  readonly nodes: readonly Node[]
  /** Pods without a node, with an unknown node, and ended pods are left out. */
  readonly pods?: readonly Pod[]
  readonly namespaces?: Readonly<Record<string, Labels>>
}

/** A snapshot of exactly these objects. */
export function snapshotOf(objects: SnapshotObjects): Snapshot {
  const nodes = new Map(objects.nodes.map((node) => [node.metadata.name, new NodeInfo(node)]))
  for (const pod of objects.pods ?? []) {
    if (!isTerminal(pod)) nodes.get(pod.spec.nodeName ?? '')?.addPod(podInfoOf(pod))
  }
  const list = [...nodes.values()]
  return {
    nodes: list,
    node: (name) => nodes.get(name),
    nodesWithAffinity: list.filter(({ hasAffinityPods }) => hasAffinityPods),
    nodesWithRequiredAntiAffinity: list.filter(({ hasRequiredAntiAffinityPods }) => hasRequiredAntiAffinityPods),
    imageSpread: (image) => list.filter(({ images }) => images.has(image)).length,
    isClaimInUse: (key) => list.some(({ pods }) => pods.some(({ claims }) => claims.includes(key))),
    namespaceLabels: (name) => objects.namespaces?.[name],
    namespaces: Object.entries(objects.namespaces ?? {}),
    volumes: volumesFrom(objects),
    ownerSelector: () => undefined,
  }
}
