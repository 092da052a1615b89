import type { Node } from '@kubevirt-ts/api'
import { doConflict, type HostPort } from '../pod/host-ports.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { add, noResources, resourcesOf, type Resources } from '../pod/resources.ts'
import { unitsOf } from '../pod/quantity.ts'

/** A node with the pods that are, or are about to be, on it. */
export class NodeInfo {
  readonly node: Node
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly allocatable: Resources
  readonly allowedPods: number
  /** Sizes in bytes by image name. */
  readonly images: ReadonlyMap<string, number>
  readonly requested = noResources()
  readonly nonZeroRequested = noResources()
  readonly #pods = new Map<string, PodInfo>()
  #list: readonly PodInfo[] | undefined
  #withAffinity = 0
  #withAntiAffinity = 0
  #withPorts = 0

  constructor(node: Node, pods: Iterable<PodInfo> = []) {
    const { labels, allocatable, allowedPods, images } = factsOf(node)
    this.node = node
    this.name = node.metadata.name
    this.labels = labels
    this.allocatable = allocatable
    this.allowedPods = allowedPods
    this.images = images
    for (const pod of pods) this.addPod(pod)
  }

  get pods(): readonly PodInfo[] {
    this.#list ??= [...this.#pods.values()]
    return this.#list
  }

  /** Some pod here has a term of pod affinity or anti-affinity, required or preferred. */
  get hasAffinityPods(): boolean {
    return this.#withAffinity > 0
  }

  get hasRequiredAntiAffinityPods(): boolean {
    return this.#withAntiAffinity > 0
  }

  addPod(info: PodInfo): void {
    this.removePod(info)
    this.#pods.set(idOf(info), info)
    this.#count(info, 1)
  }

  /** By UID; a pod that is not here changes nothing. */
  removePod(info: PodInfo): void {
    const present = this.#pods.get(idOf(info))
    if (present === undefined) return
    this.#pods.delete(idOf(info))
    this.#count(present, -1)
  }

  isPortTaken(port: HostPort): boolean {
    return this.#withPorts > 0 && this.pods.some(({ hostPorts }) => hostPorts.some((other) => doConflict(port, other)))
  }

  /** For trying what if: changes to it do not reach this one. */
  clone(): NodeInfo {
    return new NodeInfo(this.node, this.#pods.values())
  }

  #count(info: PodInfo, sign: 1 | -1): void {
    this.#list = undefined
    add(this.requested, info.requests, sign)
    add(this.nonZeroRequested, info.nonZeroRequests, sign)
    if (info.hasAffinity) this.#withAffinity += sign
    if (info.terms.antiAffinity.length > 0) this.#withAntiAffinity += sign
    if (info.hostPorts.length > 0) this.#withPorts += sign
  }
}

function idOf({ pod: { metadata } }: PodInfo): string {
  return metadata.uid ?? `${metadata.namespace}/${metadata.name}`
}

/** What a node's object says, read once however often the node is copied. */
type NodeFacts = Pick<NodeInfo, 'labels' | 'allocatable' | 'allowedPods' | 'images'>

const known = new WeakMap<Node, NodeFacts>()

function factsOf(node: Node): NodeFacts {
  const facts = known.get(node) ?? {
    labels: node.metadata.labels ?? {},
    allocatable: resourcesOf(node.status?.allocatable),
    allowedPods: unitsOf(node.status?.allocatable?.['pods'] ?? 0),
    images: imagesOf(node),
  }
  known.set(node, facts)
  return facts
}

function imagesOf({ status }: Node): Map<string, number> {
  const images = new Map<string, number>()
  for (const { names, sizeBytes = 0 } of status?.images ?? [])
    for (const name of names ?? []) images.set(name, sizeBytes)
  return images
}
