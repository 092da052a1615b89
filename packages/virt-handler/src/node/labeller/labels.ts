import { labelPrefix } from '@kubevirt-ts/api'

/** What a node offers to guests. */
export interface NodeFacts {
  readonly machineTypes: readonly string[]
  /** As libvirt names it, such as `Intel`; undefined where it cannot be told. */
  readonly cpuVendor?: string | undefined
}

/** Labels under these are the labeller's alone: one that is no longer true is removed. */
const owned = [labelPrefix.machineType, labelPrefix.cpuVendor]

/** The change from the labels a node has to those that are true; null removes a label, undefined: nothing to do. */
export function labelChange(
  present: Readonly<Record<string, string>>,
  facts: NodeFacts,
): Record<string, string | null> | undefined {
  const wanted = new Map(wantedLabels(facts).map((name) => [name, 'true']))
  const stale = Object.keys(present).filter(
    (name) => owned.some((prefix) => name.startsWith(prefix)) && !wanted.has(name),
  )
  const missing = [...wanted].filter(([name, value]) => present[name] !== value)
  if (stale.length === 0 && missing.length === 0) return undefined
  return Object.fromEntries([...stale.map((name) => [name, null] as const), ...missing])
}

const wantedLabels = ({ machineTypes, cpuVendor }: NodeFacts): string[] => [
  ...machineTypes.map((type) => `${labelPrefix.machineType}${type}`),
  ...(cpuVendor === undefined ? [] : [`${labelPrefix.cpuVendor}${cpuVendor}`]),
]

const vendors: Readonly<Record<string, string>> = { GenuineIntel: 'Intel', AuthenticAMD: 'AMD', HygonGenuine: 'Hygon' }

/** The vendor in libvirt's words from /proc/cpuinfo. */
export function cpuVendorOf(cpuinfo: string): string | undefined {
  const id = /^vendor_id\s*:\s*(\S+)/m.exec(cpuinfo)?.[1]
  return id === undefined ? undefined : vendors[id]
}
