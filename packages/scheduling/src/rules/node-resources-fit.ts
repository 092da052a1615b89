import { isExtendedName, type Resources } from '../pod/resources.ts'
import { prepared, type FilterRule } from '../rule.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { success, type Verdict } from '../verdict.ts'

export interface FitOptions {
  /** Extended resources that an extender manages. */
  readonly ignoredResources?: readonly string[]
  /** Domains of such resources. */
  readonly ignoredResourceGroups?: readonly string[]
}

interface Shortage {
  readonly reason: string
  /** The node would be too small even without any pod. */
  readonly isHopeless: boolean
}

/** Keeps pods from nodes that lack room for what they request. */
export function nodeResourcesFit(options: FitOptions = {}): FilterRule<Resources> {
  const isIgnored = (name: string) =>
    isExtendedName(name) &&
    (options.ignoredResources?.includes(name) === true ||
      options.ignoredResourceGroups?.includes(name.split('/', 1)[0]!) === true)
  return {
    name: 'NodeResourcesFit',
    prepare: ({ requests }) => prepared(requests),
    filter: (requests, node) => verdictOf(shortages(requests, node, isIgnored)),
  }
}

function verdictOf(found: readonly Shortage[]): Verdict {
  if (found.length === 0) return success
  return {
    code: found.some(({ isHopeless }) => isHopeless) ? 'UnschedulableAndUnresolvable' : 'Unschedulable',
    reasons: found.map(({ reason }) => reason),
  }
}

const nothing: readonly Shortage[] = []

function shortages(wanted: Resources, node: NodeInfo, isIgnored: (name: string) => boolean): readonly Shortage[] {
  const { allocatable, requested, allowedPods } = node
  let found = nothing
  if (node.pods.length + 1 > allowedPods) found = [{ reason: 'Too many pods', isHopeless: false }]
  const check = (name: string, amount: number, total: number, used: number) => {
    if (amount > 0 && amount > total - used) {
      found = [...found, { reason: `Insufficient ${name}`, isHopeless: amount > total }]
    }
  }
  check('cpu', wanted.milliCpu, allocatable.milliCpu, requested.milliCpu)
  check('memory', wanted.memory, allocatable.memory, requested.memory)
  check('ephemeral-storage', wanted.ephemeralStorage, allocatable.ephemeralStorage, requested.ephemeralStorage)
  for (const [name, amount] of wanted.scalars) {
    if (isIgnored(name)) continue
    check(name, amount, allocatable.scalars.get(name) ?? 0, requested.scalars.get(name) ?? 0)
  }
  return found
}
