import { label, labelPrefix } from '@kubevirt-ts/api'
import type { CpuFacts } from './cpu.ts'

/** What a node offers to guests. */
export interface NodeFacts {
  readonly machineTypes: readonly string[]
  /** As libvirt names it, such as `Intel`; undefined where it cannot be told. */
  readonly cpuVendor?: string | undefined
  /** Undefined as long as the node has not been asked. */
  readonly cpu?: CpuFacts | undefined
  /** Whether real-time threads may take all of a CPU. */
  readonly realtime?: boolean
}

/** Models that nobody should ask for, as the configuration has them: true by name. */
export type ObsoleteModels = Readonly<Record<string, boolean>>

/** Labels under these are the labeller's alone: one that is no longer true is removed. */
const owned = [
  labelPrefix.machineType,
  labelPrefix.cpuVendor,
  labelPrefix.cpuModel,
  labelPrefix.cpuModelMigration,
  labelPrefix.cpuFeature,
  labelPrefix.hostModelCpu,
  labelPrefix.hostModelRequiredFeatures,
  labelPrefix.hyperv,
  labelPrefix.cpuTimer,
  label.hostModelObsolete,
  label.realtime,
]

/** The change from the labels a node has to those that are true; null removes a label, undefined: nothing to do. */
export function labelChange(
  present: Readonly<Record<string, string>>,
  facts: NodeFacts,
  obsolete: ObsoleteModels = {},
): Record<string, string | null> | undefined {
  const wanted = new Map(Object.entries(wantedLabels(facts, obsolete)))
  const stale = Object.keys(present).filter(
    (name) => owned.some((prefix) => name.startsWith(prefix)) && !wanted.has(name),
  )
  const missing = [...wanted].filter(([name, value]) => present[name] !== value)
  if (stale.length === 0 && missing.length === 0) return undefined
  return Object.fromEntries([...stale.map((name) => [name, null] as const), ...missing])
}

function wantedLabels(
  { machineTypes, cpuVendor, cpu, realtime }: NodeFacts,
  obsolete: ObsoleteModels,
): Record<string, string> {
  return {
    ...under(labelPrefix.machineType, machineTypes),
    ...under(labelPrefix.cpuVendor, cpuVendor === undefined ? [] : [cpuVendor]),
    ...(cpu === undefined ? {} : cpuLabels(cpu, obsolete)),
    ...(realtime === true ? { [label.realtime]: 'true' } : {}),
  }
}

function cpuLabels(cpu: CpuFacts, obsolete: ObsoleteModels): Record<string, string> {
  const current = (models: readonly string[]) => models.filter((model) => obsolete[model] !== true)
  const { hostModel, tsc } = cpu
  return {
    ...under(labelPrefix.cpuModel, current(cpu.usableModels)),
    ...under(labelPrefix.cpuModelMigration, current([...cpu.knownModels, ...(hostModel ? [hostModel.name] : [])])),
    ...under(labelPrefix.cpuFeature, cpu.features),
    ...under(labelPrefix.hostModelCpu, hostModel ? [hostModel.name] : []),
    ...under(labelPrefix.hostModelRequiredFeatures, hostModel?.requiredFeatures ?? []),
    ...under(labelPrefix.hyperv, cpu.hyperv),
    // Migrations from here may find no other node that offers it.
    ...(hostModel && obsolete[hostModel.name] === true ? { [label.hostModelObsolete]: 'true' } : {}),
    ...(tsc === undefined
      ? {}
      : {
          [`${labelPrefix.cpuTimer}tsc-frequency`]: tsc.frequency,
          [`${labelPrefix.cpuTimer}tsc-scalable`]: String(tsc.scalable),
        }),
  }
}

const under = (prefix: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${prefix}${name}`, 'true']))

const vendors: Readonly<Record<string, string>> = { GenuineIntel: 'Intel', AuthenticAMD: 'AMD', HygonGenuine: 'Hygon' }

/** The vendor in libvirt's words from /proc/cpuinfo. */
export function cpuVendorOf(cpuinfo: string): string | undefined {
  const id = /^vendor_id\s*:\s*(\S+)/m.exec(cpuinfo)?.[1]
  return id === undefined ? undefined : vendors[id]
}
