import type { Node, Pod } from '@kubevirt-ts/api'

/** The words of kube-scheduler's extenders; their fields have capital letters. */
export interface ExtenderArgs {
  readonly Pod: Pod
  readonly Nodes?: { readonly items: readonly Node[] } | null
  /** In place of whole nodes, for extenders that know them (`nodeCacheCapable`). */
  readonly NodeNames?: readonly string[] | null
}

export interface ExtenderFilterResult {
  readonly Nodes?: { readonly items: readonly Node[] } | null
  readonly NodeNames?: readonly string[] | null
  /** Why by node. */
  readonly FailedNodes?: Readonly<Record<string, string>> | null
  readonly FailedAndUnresolvableNodes?: Readonly<Record<string, string>> | null
  readonly Error?: string
}

export interface HostPriority {
  readonly Host: string
  /** From 0 to 10. */
  readonly Score: number
}

export interface ExtenderBindingArgs {
  readonly PodName: string
  readonly PodNamespace: string
  readonly PodUID: string
  readonly Node: string
}

export interface ExtenderBindingResult {
  readonly Error?: string
}

export const maxExtenderScore = 10
