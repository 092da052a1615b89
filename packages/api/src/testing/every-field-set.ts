/** Objects in which no field is missing: what the API server loses of them, a user would lose too. */
import { readDescriptions } from '../../generate/descriptions.ts'
import { readFieldTable } from '../../generate/field-table.ts'
import { readKinds, type Kind } from '../../generate/kinds.ts'
import { readConstraints, schemaOfKind, type Tables } from '../../generate/schema.ts'
import type { JSONSchemaProps } from '../kubernetes/extensions.ts'
import type { KubeObject } from '../kubernetes/meta.ts'

/** The custom resources, for a test that asks all of them. */
export function allKinds(): readonly Kind[] {
  return readKinds()
}

/**
 * An object of the kind in its storage version in which every field of the schema has a value that the API server
 * accepts and keeps as it is. Lists and maps have one member. The admission webhooks would refuse most of them.
 */
export function everyFieldSet(kind: string, name = 'every-field'): KubeObject & Record<string, unknown> {
  const tables = readTables()
  const served = readKinds().find((candidate) => candidate.kind === kind)
  const version = served?.versions.find(({ storage }) => storage)
  if (!served || !version) throw new Error(`${kind} is no custom resource; see packages/api/schema/kinds.json`)
  const { metadata: _, ...properties } = schemaOfKind(tables, kind).properties ?? {}
  const fields = Object.entries(properties).map(([field, schema]) => [field, sample(schema, field)] as const)
  return {
    ...Object.fromEntries(fields),
    apiVersion: `${served.group}/${version.name}`,
    kind,
    metadata: { name, ...(served.scope === 'Namespaced' && { namespace: 'default' }) },
  }
}

/** The schema that `everyFieldSet` fills. */
export function schemaFor(kind: string): JSONSchemaProps {
  return schemaOfKind(readTables(), kind)
}

function readTables(): Tables {
  const types = readFieldTable()
  return { types, constraints: readConstraints(), describe: readDescriptions(types) }
}

/** Values that a rule of the schema asks for, by the end of the way to the field. */
const valuesByRule: Readonly<Record<string, unknown>> = {
  'containerPath.path': '/some/path',
  'conditions.reason': 'SomeReason',
  'conditions.type': 'SomeType',
  'source.apiGroup': 'kubevirt.io',
  'source.kind': 'VirtualMachine',
  filesystemOverhead: '0.055',
}

function sample(schema: JSONSchemaProps, path: string): unknown {
  const names = path.split('.')
  const byRule = valuesByRule[names.slice(-2).join('.')] ?? valuesByRule[names.at(-1) ?? '']
  if (byRule !== undefined) return byRule
  if (schema.enum) return schema.enum[0]
  if (schema['x-kubernetes-int-or-string']) return schema.pattern === undefined ? 8080 : '1500Mi'
  if (schema.type === 'object') return sampleObject(schema, path)
  if (schema.type === 'array') return [sample(schema.items ?? {}, path)]
  return sampleScalar(schema, path)
}

function sampleObject(schema: JSONSchemaProps, path: string): unknown {
  if (schema.additionalProperties) return { key: sample(schema.additionalProperties, path) }
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    sample(property, `${path}.${name}`),
  ])
  const unknown = schema['x-kubernetes-preserve-unknown-fields'] ? { labels: { some: 'label' } } : {}
  return { ...Object.fromEntries(fields), ...unknown }
}

function sampleScalar(schema: JSONSchemaProps, path: string): unknown {
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer') return Math.max(schema.minimum ?? 0, 7)
  if (schema.type === 'number') return 0.5
  if (schema.format === 'date-time') return '2026-01-31T12:00:00Z'
  return `some ${path.split('.').at(-1)}`
}
