import type { DaemonSet, Deployment } from '@kubevirt-ts/api'

/** One part of the product, as its workload object tells. */
export interface Component {
  readonly name: string
  /** All pods of the newest version are up. */
  readonly updated: boolean
  /** As many pods as wanted serve. */
  readonly available: boolean
  /** What is missing, in words. */
  readonly detail: string
}

/** The parts without which guests cannot be managed, by the label `kubevirt.io` of their workloads. */
export const requiredComponents = ['virt-api', 'virt-controller', 'virt-handler'] as const

export function deploymentComponent({ metadata, spec, status }: Deployment): Component {
  const wanted = spec?.replicas ?? 1
  const available = status?.availableReplicas ?? 0
  const updated =
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) && (status?.updatedReplicas ?? 0) >= wanted
  return {
    name: metadata.name,
    updated,
    available: available >= wanted,
    detail: `deployment ${metadata.name} has ${available} of ${wanted} replicas available`,
  }
}

export function daemonSetComponent({ metadata, status }: DaemonSet): Component {
  const wanted = status?.desiredNumberScheduled ?? 0
  const available = status?.numberAvailable ?? 0
  const observed = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  return {
    name: metadata.name,
    updated: observed && (status?.updatedNumberScheduled ?? 0) >= wanted,
    // Before the controller manager has counted the nodes, zero of zero says nothing.
    available: observed && status !== undefined && available >= wanted,
    detail: `daemon set ${metadata.name} has ${available} of ${wanted} pods available`,
  }
}

/** A part whose workload does not exist. */
export function absentComponent(name: string): Component {
  return { name, updated: false, available: false, detail: `${name} is not installed` }
}
