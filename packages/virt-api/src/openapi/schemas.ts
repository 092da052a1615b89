import { shapes } from '../schema/generated/shapes.ts'
import { bodyTypes } from './bodies.ts'

/** The name of a type's schema, as the API server names those of its own kinds. */
export const schemaName = (type: string): string => `io.kubevirt.v1.${type}`

const scalars: Readonly<Record<string, object>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  integer: { type: 'integer', format: 'int64' },
  number: { type: 'number' },
  double: { type: 'number', format: 'double' },
  Quantity: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  IntOrString: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  Time: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
}

/** The schemas of all bodies and of what is in them. */
export function schemasOf(): Record<string, object> {
  const schemas: Record<string, object> = {}
  const waiting = [...bodyTypes]
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    const shape = shapes[type]
    if (shape === undefined || schemaName(type) in schemas) continue
    const properties = Object.entries(shape).map(([name, each]) => [name, schemaOf(each)] as const)
    schemas[schemaName(type)] = { type: 'object', properties: Object.fromEntries(properties) }
    for (const each of Object.values(shape)) waiting.push(each.replaceAll(/[[\]{}]/g, ''))
  }
  return schemas
}

function schemaOf(type: string): object {
  if (type.startsWith('[')) return { type: 'array', items: schemaOf(type.slice(1, -1)) }
  if (type.startsWith('{')) return { type: 'object', additionalProperties: schemaOf(type.slice(1, -1)) }
  if (type.startsWith("'")) return { type: 'string', enum: type.slice(1, -1).split("'|'") }
  if (shapes[type]) return { $ref: `#/components/schemas/${schemaName(type)}` }
  return scalars[type] ?? { type: 'object' }
}
