import type { TypedLocalObjectReference } from '@kubevirt-ts/api'
import { invalid, notFound, when } from './cause.ts'
import type { Cause } from './cause.ts'

/** Group by kind of the objects that a reference may lead to. */
export type Sources = Readonly<Record<string, string>>

/** A reference leads to one of the kinds, by its right group, and has a name. */
export function sourceCauses(source: TypedLocalObjectReference | undefined, field: string, sources: Sources): Cause[] {
  const kinds = Object.entries(sources).map(([kind, group]) => `${kind} (${group || 'core group'})`)
  const use = `use ${kinds.join(' or ')}`
  if (!source) return [notFound(field, `missing source: ${use}`)]
  const group = sources[source.kind]
  if (group === undefined) return [invalid(`${field}.kind`, `invalid kind ${source.kind}: ${use}`)]
  if (group !== '' && source.apiGroup === undefined) return [notFound(`${field}.apiGroup`, `missing apiGroup: ${use}`)]
  return [
    ...when((source.apiGroup ?? '') !== group, () =>
      invalid(`${field}.apiGroup`, `invalid apiGroup ${source.apiGroup}: ${use}`),
    ),
    ...when(!source.name, () => invalid(`${field}.name`, `${field}.name must not be empty`)),
  ]
}

export const virtualMachine: Sources = { VirtualMachine: 'kubevirt.io' }
