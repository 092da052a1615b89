import { expect, test } from '@jest/globals'
import type { JSONSchemaProps } from '../kubernetes/extensions.ts'
import { allKinds, everyFieldSet, schemaFor } from './every-field-set.ts'

/** Paths at which a value is missing or against the schema. */
function faults(schema: JSONSchemaProps, value: unknown, path: string): string[] {
  if (value === undefined) return [`${path} is missing`]
  if (Array.isArray(value)) return value.flatMap((member) => faults(schema.items ?? {}, member, `${path}[]`))
  if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>
    const ofMap = schema.additionalProperties
    if (ofMap) return Object.values(members).flatMap((member) => faults(ofMap, member, `${path}{}`))
    return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      faults(property, members[name], `${path}.${name}`),
    )
  }
  return isAllowed(schema, value) ? [] : [`${path} may not be ${JSON.stringify(value)}`]
}

function isAllowed({ enum: allowed, pattern, minimum, maximum, maxLength }: JSONSchemaProps, value: unknown): boolean {
  if (allowed && !allowed.includes(value)) return false
  if (typeof value === 'string') {
    return (pattern === undefined || new RegExp(pattern).test(value)) && value.length <= (maxLength ?? Infinity)
  }
  return typeof value !== 'number' || (value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity))
}

test.each(allKinds())('every field of $kind has a value that its schema allows', ({ kind }) => {
  expect(faults(schemaFor(kind), everyFieldSet(kind), kind)).toEqual([])
})

test('an unknown kind is refused', () => {
  expect(() => everyFieldSet('Pod')).toThrow('Pod is no custom resource')
})
