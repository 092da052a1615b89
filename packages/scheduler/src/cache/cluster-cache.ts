import type { Node, Pod } from '@kubevirt-ts/api'
import {
  isTerminal,
  NodeInfo,
  podInfoOf,
  type LabelMatcher,
  type Labels,
  type PodInfo,
  type Snapshot,
  type Volumes,
} from '@kubevirt-ts/scheduling'

/** What a snapshot asks beside nodes and pods. */
export interface Surroundings {
  readonly volumes: Volumes
  namespaceLabels(name: string): Labels | undefined
  namespaces(): Iterable<readonly [name: string, labels: Labels]>
  ownerSelector(pod: Pod): LabelMatcher | undefined
}

interface PlacedPod {
  readonly info: PodInfo
  readonly node: string
  /** Only we know yet that it is there. */
  readonly isAssumed: boolean
  /** When an assumption that nobody confirmed is dropped; undefined while it is being bound. */
  readonly expiresAt?: number
}

/** How long a bound pod may take to come back through the watch. */
const assumedMs = 15 * 60_000

/**
 * Nodes with the pods that are on them or were just sent there. `snapshot` gives a view that stays as it is until the
 * next call, and costs only what changed since the last one.
 */
export class ClusterCache {
  readonly #now: () => number
  readonly #nodes = new Map<string, NodeInfo>()
  readonly #pods = new Map<string, PlacedPod>()
  /** Pods of nodes that are not known (yet). */
  readonly #homeless = new Map<string, Set<string>>()
  readonly #claims = new Map<string, number>()
  readonly #images = new Map<string, number>()
  readonly #dirty = new Set<string>()
  readonly #view: View

  constructor(surroundings: Surroundings, now: () => number = Date.now) {
    this.#now = now
    this.#view = new View(surroundings, this.#images, this.#claims)
  }

  get size(): { readonly nodes: number; readonly pods: number; readonly assumed: number } {
    let assumed = 0
    for (const { isAssumed } of this.#pods.values()) if (isAssumed) assumed += 1
    return { nodes: this.#nodes.size, pods: this.#pods.size, assumed }
  }

  setNode(node: Node): void {
    const { name } = node.metadata
    const before = this.#nodes.get(name)
    const waiting = [...(this.#homeless.get(name) ?? [])].map((uid) => this.#pods.get(uid)!.info)
    this.#homeless.delete(name)
    const info = new NodeInfo(node, [...(before?.pods ?? []), ...waiting])
    if (before !== undefined) this.#countImages(before, -1)
    this.#countImages(info, 1)
    this.#nodes.set(name, info)
    this.#dirty.add(name)
  }

  deleteNode(name: string): void {
    const info = this.#nodes.get(name)
    if (info === undefined) return
    this.#nodes.delete(name)
    this.#countImages(info, -1)
    this.#dirty.add(name)
    if (info.pods.length > 0) this.#homeless.set(name, new Set(info.pods.map(({ pod }) => uidOf(pod))))
  }

  /** A pod with a node as the API server knows it; confirms what was assumed. */
  setPod(pod: Pod): void {
    const node = pod.spec.nodeName ?? ''
    if (node === '' || isTerminal(pod)) this.deletePod(pod)
    else this.#place({ info: podInfoOf(pod), node, isAssumed: false })
  }

  deletePod(pod: Pod): void {
    this.#remove(uidOf(pod))
  }

  /** The pod counts as being on the node from now on. */
  assume(pod: Pod, node: string): void {
    this.#place({ info: podInfoOf(pod), node, isAssumed: true })
  }

  /** It was bound: its watch event is awaited, but not for ever. */
  finishBinding(pod: Pod): void {
    const placed = this.#pods.get(uidOf(pod))
    if (placed?.isAssumed) this.#pods.set(uidOf(pod), { ...placed, expiresAt: this.#now() + assumedMs })
  }

  /** It is not going there after all. */
  forget(pod: Pod): void {
    if (this.#pods.get(uidOf(pod))?.isAssumed) this.#remove(uidOf(pod))
  }

  isAssumed(pod: Pod): boolean {
    return this.#pods.get(uidOf(pod))?.isAssumed === true
  }

  /** Drops assumptions that nobody confirmed in time; answers their pods. */
  expireAssumed(): Pod[] {
    const expired = [...this.#pods.values()]
      .filter(({ isAssumed, expiresAt = Infinity }) => isAssumed && expiresAt <= this.#now())
      .map(({ info }) => info.pod)
    for (const pod of expired) this.#remove(uidOf(pod))
    return expired
  }

  snapshot(): Snapshot {
    for (const name of this.#dirty) this.#view.set(name, this.#nodes.get(name)?.clone())
    this.#dirty.clear()
    return this.#view
  }

  #place(placed: PlacedPod): void {
    const uid = uidOf(placed.info.pod)
    this.#remove(uid)
    this.#pods.set(uid, placed)
    this.#countClaims(placed.info, 1)
    const node = this.#nodes.get(placed.node)
    if (node === undefined) {
      const waiting = this.#homeless.get(placed.node) ?? new Set()
      this.#homeless.set(placed.node, waiting.add(uid))
      return
    }
    node.addPod(placed.info)
    this.#dirty.add(placed.node)
  }

  #remove(uid: string): void {
    const placed = this.#pods.get(uid)
    if (placed === undefined) return
    this.#pods.delete(uid)
    this.#countClaims(placed.info, -1)
    this.#homeless.get(placed.node)?.delete(uid)
    const node = this.#nodes.get(placed.node)
    if (node === undefined) return
    node.removePod(placed.info)
    this.#dirty.add(placed.node)
  }

  #countClaims({ claims }: PodInfo, sign: 1 | -1): void {
    for (const key of claims) count(this.#claims, key, sign)
  }

  #countImages({ images }: NodeInfo, sign: 1 | -1): void {
    for (const image of images.keys()) count(this.#images, image, sign)
  }
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const sum = (counts.get(key) ?? 0) + change
  if (sum === 0) counts.delete(key)
  else counts.set(key, sum)
}

function uidOf({ metadata: { uid, namespace, name } }: Pod): string {
  return uid ?? `${namespace}/${name}`
}

/** The nodes as they were at the last `snapshot`; lists are made anew only after a change. */
class View implements Snapshot {
  readonly volumes: Volumes
  readonly #surroundings: Surroundings
  readonly #images: ReadonlyMap<string, number>
  readonly #claims: ReadonlyMap<string, number>
  readonly #nodes: NodeInfo[] = []
  readonly #index = new Map<string, number>()
  readonly #withAffinity = new Map<string, NodeInfo>()
  readonly #withAntiAffinity = new Map<string, NodeInfo>()

  constructor(surroundings: Surroundings, images: ReadonlyMap<string, number>, claims: ReadonlyMap<string, number>) {
    this.#surroundings = surroundings
    this.volumes = surroundings.volumes
    this.#images = images
    this.#claims = claims
  }

  get nodes(): readonly NodeInfo[] {
    return this.#nodes
  }

  get nodesWithAffinity(): readonly NodeInfo[] {
    return [...this.#withAffinity.values()]
  }

  get nodesWithRequiredAntiAffinity(): readonly NodeInfo[] {
    return [...this.#withAntiAffinity.values()]
  }

  get namespaces(): Iterable<readonly [name: string, labels: Labels]> {
    return this.#surroundings.namespaces()
  }

  node(name: string): NodeInfo | undefined {
    const index = this.#index.get(name)
    return index === undefined ? undefined : this.#nodes[index]
  }

  imageSpread(image: string): number {
    return this.#images.get(image) ?? 0
  }

  isClaimInUse(key: string): boolean {
    return this.#claims.has(key)
  }

  namespaceLabels(name: string): Labels | undefined {
    return this.#surroundings.namespaceLabels(name)
  }

  ownerSelector(pod: Pod): LabelMatcher | undefined {
    return this.#surroundings.ownerSelector(pod)
  }

  /** Undefined takes the node away. */
  set(name: string, info: NodeInfo | undefined): void {
    if (info === undefined) this.#delete(name)
    else this.#replace(name, info)
    follow(this.#withAffinity, name, info?.hasAffinityPods ? info : undefined)
    follow(this.#withAntiAffinity, name, info?.hasRequiredAntiAffinityPods ? info : undefined)
  }

  #replace(name: string, info: NodeInfo): void {
    const index = this.#index.get(name)
    if (index !== undefined) {
      this.#nodes[index] = info
      return
    }
    this.#index.set(name, this.#nodes.length)
    this.#nodes.push(info)
  }

  /** The last node takes the free place. */
  #delete(name: string): void {
    const index = this.#index.get(name)
    if (index === undefined) return
    this.#index.delete(name)
    const last = this.#nodes.pop()!
    if (last.name === name) return
    this.#nodes[index] = last
    this.#index.set(last.name, index)
  }
}

function follow(nodes: Map<string, NodeInfo>, name: string, info: NodeInfo | undefined): void {
  if (info === undefined) nodes.delete(name)
  else nodes.set(name, info)
}
