import type { VirtualMachineClone } from '@kubevirt-ts/api'
import { invalid, when } from './cause.ts'
import type { Cause } from './cause.ts'
import { immutableSpec } from './immutable-spec.ts'
import { parsePatch } from './json-patch-text.ts'
import type { KindRule } from './of-kind.ts'
import { sourceCauses, virtualMachine } from './source.ts'

type Rule = KindRule<VirtualMachineClone>

const source: Rule = ({ object: { spec } }) =>
  sourceCauses(spec.source, 'spec.source', { ...virtualMachine, VirtualMachineSnapshot: 'snapshot.kubevirt.io' })

const target: Rule = ({ object: { spec } }) => {
  if (!spec.target) return []
  const wrong = sourceCauses(spec.target, 'spec.target', virtualMachine)
  const same = spec.target.kind === spec.source?.kind && spec.target.name === spec.source.name
  return [
    ...wrong,
    ...when(same, () => invalid('spec.target.name', 'target must not be the source; give it another name')),
  ]
}

/** Filters take names with `*` at the end for anything, and `!` at the beginning for what is left out. */
function filters(values: readonly string[] | undefined, field: string): Cause[] {
  return (values ?? []).flatMap((value, index) => {
    const bad = value === '' || value.lastIndexOf('!') > 0 || /\*./.test(value)
    return when(bad, () =>
      invalid(
        `${field}[${index}]`,
        `filter ${JSON.stringify(value)} is not valid: "!" may only be its first character, "*" only its last`,
      ),
    )
  })
}

const allFilters: Rule = ({ object: { spec } }) => [
  ...filters(spec.labelFilters, 'spec.labelFilters'),
  ...filters(spec.annotationFilters, 'spec.annotationFilters'),
  ...filters(spec.template?.labelFilters, 'spec.template.labelFilters'),
  ...filters(spec.template?.annotationFilters, 'spec.template.annotationFilters'),
]

const mac = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i

const macAddresses: Rule = ({ object: { spec } }) =>
  Object.entries(spec.newMacAddresses ?? {}).flatMap(([name, address]) =>
    when(!mac.test(address), () =>
      invalid(
        `spec.newMacAddresses.${name}`,
        `${address} is not a MAC address of six bytes, such as 02:00:00:00:00:01`,
      ),
    ),
  )

const patches: Rule = ({ object: { spec } }) =>
  (spec.patches ?? []).flatMap((text, index) =>
    when(parsePatch(text) === undefined, () =>
      invalid(`spec.patches[${index}]`, `spec.patches[${index}] is not a JSON patch operation with op and path`),
    ),
  )

export const cloneRules: readonly Rule[] = [source, target, allFilters, macAddresses, patches, immutableSpec]
