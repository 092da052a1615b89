import type { PluginUnit } from '../plugin-device.ts'

/** Resources of the KubeVirt resource that this node can give, and what is wrong with others. */
export interface Selection {
  readonly resources: readonly PermittedResource[]
  readonly problems: readonly string[]
}

export interface PermittedResource {
  readonly resourceName: string
  /** The environment variable in which a container finds the addresses of what it was given. */
  readonly variable: string
  readonly units: readonly PermittedUnit[]
}

export interface PermittedUnit extends Pick<PluginUnit, 'id' | 'numaNode'> {
  readonly addresses: readonly string[]
  /** Device nodes that come with it, the health of which is its own. */
  readonly nodes: readonly string[]
  /** Device nodes that come with any of the kind. */
  readonly shared: readonly string[]
}

/** Joins what is found under one name; the order of the first finds stays. */
export function grouped<T>(found: readonly (readonly [string, T])[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const [name, each] of found) groups.set(name, [...(groups.get(name) ?? []), each])
  return groups
}

/**
 * Which resource a selector's devices belong to. A selector that is named again belongs to the last one that names it,
 * as in KubeVirt.
 */
export function selectors<T extends { readonly resourceName: string }>(
  permitted: readonly T[],
  selectorOf: (entry: T) => string,
): { bySelector: Map<string, string>; problems: string[] } {
  const bySelector = new Map<string, string>()
  const problems: string[] = []
  for (const entry of permitted) {
    const selector = selectorOf(entry)
    const earlier = bySelector.get(selector)
    if (earlier !== undefined && earlier !== entry.resourceName)
      problems.push(`${selector} is of ${earlier} and of ${entry.resourceName}; it counts for the latter`)
    bySelector.set(selector, entry.resourceName)
  }
  return { bySelector, problems }
}
