import { label, labelPrefix } from '@kubevirt-ts/api'
import type { KubeVirtConfiguration, Node, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isFinal } from '@kubevirt-ts/vmispec'

/** A node's time stamp counter, as its agent labelled it. */
interface Counter {
  /** In hertz. */
  readonly frequency: number
  /** The processor can make a guest see a lower frequency. */
  readonly isScalable: boolean
}

function counterOf({ metadata }: Node): Counter | undefined {
  const frequency = Number(metadata.labels?.[`${labelPrefix.cpuTimer}tsc-frequency`])
  if (!Number.isSafeInteger(frequency) || frequency <= 0) return undefined
  return { frequency, isScalable: metadata.labels?.[`${labelPrefix.cpuTimer}tsc-scalable`] === 'true' }
}

/** Parts of a million by which two counters that count as equal may differ; QEMU's own tolerance. */
const tolerancePpm = 250

/** Whether a guest that sees this frequency can run on the node. */
function isServed({ frequency, isScalable }: Counter, wanted: number): boolean {
  if (isScalable && wanted <= frequency) return true
  return Math.abs(frequency - wanted) <= (frequency * tolerancePpm) / 1_000_000
}

/** The frequency that new guests are to see: what the cluster says, else the lowest of the nodes that take guests. */
export function lowestFrequency(
  nodes: readonly Node[],
  { developerConfiguration }: KubeVirtConfiguration,
): number | undefined {
  const configured = developerConfiguration?.minimumClusterTSCFrequency
  if (configured !== undefined && configured > 0) return configured
  const frequencies = nodes
    .filter(({ metadata }) => metadata.labels?.[label.schedulable] === 'true')
    .flatMap((node) => counterOf(node)?.frequency ?? [])
  return frequencies.length === 0 ? undefined : Math.min(...frequencies)
}

/** Frequencies that guests see now, and the one that new ones will. */
export function frequenciesInUse(vmis: readonly VirtualMachineInstance[], lowest: number | undefined): Set<number> {
  const used = vmis.filter((vmi) => !isFinal(vmi)).flatMap(({ status }) => status?.topologyHints?.tscFrequency ?? [])
  return new Set([...used, ...(lowest === undefined ? [] : [lowest])])
}

/** The labels by which guests find nodes for their frequency: those to set, and with null those to take away. */
export function labelChanges(node: Node, inUse: ReadonlySet<number>): Record<string, string | null> {
  const counter = counterOf(node)
  const served = counter === undefined ? [] : [...inUse].filter((wanted) => isServed(counter, wanted))
  const wanted = new Set(served.map((frequency) => `${labelPrefix.schedulingTscFrequency}${frequency}`))
  const present = Object.keys(node.metadata.labels ?? {}).filter((key) =>
    key.startsWith(labelPrefix.schedulingTscFrequency),
  )
  return Object.fromEntries([
    ...[...wanted].filter((key) => !present.includes(key)).map((key) => [key, 'true'] as const),
    ...present.filter((key) => !wanted.has(key)).map((key) => [key, null] as const),
  ])
}
