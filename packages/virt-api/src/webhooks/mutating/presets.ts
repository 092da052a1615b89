import { isDeepStrictEqual } from 'node:util'
import type { DomainSpec, VirtualMachineInstance, VirtualMachineInstancePreset } from '@kubevirt-ts/api'
import { matchesSelector } from '@kubevirt-ts/controller/label-selector'

/** Says on a VMI that no preset is for it. */
const excluded = 'virtualmachineinstancepresets.admission.kubevirt.io/exclude'
/** Marks on a VMI which presets it was given. */
const appliedPrefix = 'virtualmachinepreset.kubevirt.io/'

/** A part of a domain that a preset may bring; it is taken or left whole. */
interface Part {
  readonly name: string
  readonly read: (domain: DomainSpec) => unknown
  readonly write: (domain: DomainSpec, value: never) => void
}

const part = <T>(
  name: string,
  read: (domain: DomainSpec) => T,
  write: (domain: DomainSpec, value: T) => void,
): Part => ({
  name,
  read,
  write,
})

/** What presets can set; all else in them is ignored, as the original ignores it. */
const parts: readonly Part[] = [
  part(
    'resources.requests',
    ({ resources }) => (Object.keys(resources?.requests ?? {}).length > 0 ? resources?.requests : undefined),
    (domain, requests) => (domain.resources = { ...domain.resources, requests: requests! }),
  ),
  part(
    'cpu',
    ({ cpu }) => cpu,
    (domain, cpu) => (domain.cpu = cpu!),
  ),
  part(
    'firmware',
    ({ firmware }) => firmware,
    (domain, firmware) => (domain.firmware = firmware!),
  ),
  part(
    'clock',
    ({ clock }) => clock,
    (domain, clock) => (domain.clock = clock!),
  ),
  part(
    'features',
    ({ features }) => features,
    (domain, features) => (domain.features = features!),
  ),
  part(
    'devices.watchdog',
    ({ devices }) => devices?.watchdog,
    (domain, watchdog) => (domain.devices = { ...domain.devices, watchdog: watchdog! }),
  ),
  part(
    'ioThreadsPolicy',
    ({ ioThreadsPolicy }) => ioThreadsPolicy,
    (domain, policy) => (domain.ioThreadsPolicy = policy!),
  ),
]

export type Merged =
  | { readonly vmi: VirtualMachineInstance; readonly warnings: readonly string[]; readonly refused?: undefined }
  | { readonly refused: string }

/**
 * Merges the presets of its namespace that select a new VMI into it. What the VMI says itself stays, and the warnings
 * name what was left out of which preset. Two presets that say different things can not both be meant: that refuses
 * the VMI. The argument is not changed.
 */
export function mergePresets(given: VirtualMachineInstance, presets: readonly VirtualMachineInstancePreset[]): Merged {
  const { labels = {}, annotations } = given.metadata
  const chosen =
    annotations?.[excluded] === 'true'
      ? []
      : presets.filter(({ spec }) => spec?.domain && matchesSelector(labels, spec.selector))
  if (chosen.length === 0) return { vmi: given, warnings: [] }
  const refused = contradiction(chosen)
  if (refused !== undefined) return { refused }
  const { metadata, spec } = given
  const vmi = { ...given, metadata: { ...metadata }, spec: { ...spec, domain: { ...spec.domain } } }
  return { vmi, warnings: chosen.flatMap((preset) => apply(preset, vmi)) }
}

const differing = (a: DomainSpec, b: DomainSpec): string[] =>
  parts
    .filter(({ read }) => {
      const [one, other] = [read(a), read(b)]
      return one !== undefined && other !== undefined && !isDeepStrictEqual(one, other)
    })
    .map(({ name }) => `spec.domain.${name}`)

function contradiction(presets: readonly VirtualMachineInstancePreset[]): string | undefined {
  for (const [index, one] of presets.entries()) {
    for (const other of presets.slice(index + 1)) {
      const fields = differing(one.spec!.domain!, other.spec!.domain!)
      if (fields.length === 0) continue
      const names = `${one.metadata.name} and ${other.metadata.name}`
      return `VirtualMachinePresets cannot be applied due to conflicts: ${names} differ in ${fields.join(', ')}; make them agree, or select the VMI by one of them`
    }
  }
  return undefined
}

/** Writes into the VMI what it does not say itself; the answer warns of the rest. */
function apply({ metadata: { name }, spec }: VirtualMachineInstancePreset, vmi: VirtualMachineInstance): string[] {
  const wanted = spec!.domain!
  const domain = vmi.spec.domain
  const left = differing(wanted, domain)
  const taken = parts.filter(
    ({ name: field, read }) => read(wanted) !== undefined && !left.includes(`spec.domain.${field}`),
  )
  for (const { read, write } of taken) {
    if (read(domain) === undefined) write(domain, read(wanted) as never)
  }
  if (taken.length > 0)
    vmi.metadata.annotations = { ...vmi.metadata.annotations, [`${appliedPrefix}${name}`]: 'kubevirt.io/v1' }
  if (left.length === 0) return []
  const how = taken.length > 0 ? 'was applied in part' : 'was not applied'
  return [`VirtualMachineInstancePreset ${name} ${how}: the VMI says something else in ${left.join(', ')}`]
}
