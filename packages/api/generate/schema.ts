/** Expands a type of the field table to a structural schema. */
import { readFileSync } from 'node:fs'
import type { JSONSchemaProps } from '../src/kubernetes/extensions.ts'
import type { Describe } from './descriptions.ts'
import type { ApiType, FieldType } from './field-table.ts'

/** What the field table does not say, by `Type` or `Type.field` (with `[]` for the items); null removes a keyword. */
type Constraints = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Tables {
  readonly types: ReadonlyMap<string, ApiType>
  readonly constraints: Constraints
  readonly describe: Describe
}

export function readConstraints(): Constraints {
  return JSON.parse(readFileSync(new URL('../schema/constraints.json', import.meta.url), 'utf8')) as Constraints
}

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'
const intOrString = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true }

const scalarSchemas: Readonly<Record<string, JSONSchemaProps>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number' },
  double: { type: 'number', format: 'double' },
  Quantity: { ...intOrString, pattern: quantityPattern },
  IntOrString: intOrString,
  Time: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  RawExtension: { type: 'object' },
  FieldsV1: { type: 'object' },
}

/** Schema of a whole kind. Its own metadata is the API server's business, which refuses even a text for it. */
export function schemaOfKind(tables: Tables, kind: string): JSONSchemaProps {
  const { properties, ...schema } = expandType(tables, kind)
  return withDescription(tables.describe(kind), {
    ...schema,
    properties: { ...properties, metadata: { type: 'object' } },
  })
}

function expandType(tables: Tables, name: string): JSONSchemaProps {
  const type = tables.types.get(name)
  if (!type) throw new Error(`fields: no type ${name}`)
  // Metadata is kept as it is or validated elsewhere; its fields are never spelt out.
  if (name === 'ObjectMeta' || type.fields.length === 0) return { type: 'object' }
  const properties = Object.fromEntries(
    type.fields.map((field) => {
      const schema = constrain(tables, `${name}.${field.name}`, field.type)
      return [field.name, withDescription(tables.describe(name, field.name), schema)]
    }),
  )
  const required = type.fields.filter(({ optional }) => !optional).map((field) => field.name)
  return { type: 'object', properties, ...(required.length > 0 && { required: required.toSorted() }) }
}

/** Schema of one place, with the constraints of the type and of the place. */
function constrain(tables: Tables, place: string, type: FieldType): JSONSchemaProps {
  const ofType = type.form === 'type' ? tables.constraints[type.name] : undefined
  const merged = Object.entries({ ...schemaOf(tables, place, type), ...ofType, ...tables.constraints[place] })
  return Object.fromEntries(merged.filter(([, value]) => value !== null))
}

function schemaOf(tables: Tables, place: string, type: FieldType): JSONSchemaProps {
  switch (type.form) {
    case 'scalar':
      return scalarSchemas[type.name] ?? {}
    case 'enum':
      return { type: 'string', enum: [...type.values] }
    case 'type':
      return expandType(tables, type.name)
    case 'map':
      return { type: 'object', additionalProperties: constrain(tables, `${place}{}`, type.of) }
    case 'list':
      return {
        type: 'array',
        items: constrain(tables, `${place}[]`, type.of),
        ...(type.listType !== undefined && { 'x-kubernetes-list-type': type.listType }),
        ...(type.mapKeys !== undefined && { 'x-kubernetes-list-map-keys': [...type.mapKeys] }),
      }
  }
}

function withDescription(description: string | undefined, schema: JSONSchemaProps): JSONSchemaProps {
  return description === undefined ? schema : { description, ...schema }
}

/** The same schema without texts. */
export function withoutDescriptions(schema: JSONSchemaProps): JSONSchemaProps {
  const { description: _, properties, items, additionalProperties, ...rest } = schema
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, withoutDescriptions(property)]),
      ),
    }),
    ...(items && { items: withoutDescriptions(items) }),
    ...(additionalProperties && { additionalProperties: withoutDescriptions(additionalProperties) }),
  }
}
