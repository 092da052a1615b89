import type { Pod } from '@kubevirt-ts/api'
import { podInfoOf, type PodInfo } from '@kubevirt-ts/scheduling'

/** Pods that wait for room on a node, by that node. */
export class NominatedPods {
  readonly #nodes = new Map<string, { readonly node: string; readonly info: PodInfo }>()

  /** Follows the pod's status; a pod without a nomination is forgotten. */
  set(pod: Pod, node = pod.status?.nominatedNodeName): void {
    if (node) this.#nodes.set(pod.metadata.uid ?? '', { node, info: podInfoOf(pod) })
    else this.delete(pod)
  }

  delete(pod: Pod): void {
    this.#nodes.delete(pod.metadata.uid ?? '')
  }

  on(node: string): readonly PodInfo[] {
    if (this.#nodes.size === 0) return none
    return [...this.#nodes.values()].filter((each) => each.node === node).map(({ info }) => info)
  }
}

const none: readonly PodInfo[] = []
