import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import type { CustomResourceDefinition, JSONSchemaProps } from '../src/index.ts'

type Names = CustomResourceDefinition['spec']['names']
type Version = CustomResourceDefinition['spec']['versions'][number]

interface Recorded {
  readonly name: string
  readonly group: string
  readonly names: Names
  readonly scope: string
  readonly versions: Omit<Version, 'schema'>[]
  readonly schema: JSONSchemaProps
}

const crds = fileURLToPath(new URL('../../../charts/kubevirt/crds', import.meta.url))
const recorded = readFileSync(new URL('data/crds.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

const read = new Map<string, CustomResourceDefinition>()

function readCrd(name: string): CustomResourceDefinition {
  const crd = read.get(name) ?? (parse(readFileSync(`${crds}/${name}.yaml`, 'utf8')) as CustomResourceDefinition)
  read.set(name, crd)
  return crd
}

/** The API server reads these lists as sets. */
const unordered = new Set(['required', 'enum', 'shortNames', 'categories'])

/** The shape of a CRD: texts dropped, sets sorted, keys sorted. */
function shape(value: unknown, key = '', isProperties = false): unknown {
  if (Array.isArray(value)) {
    const members = value.map((member) => shape(member))
    return unordered.has(key) ? members.map(String).toSorted() : members
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !(name === 'description' && !isProperties && typeof member === 'string'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, shape(member, name, name === 'properties' && !isProperties)]),
  )
}

describe('the CRDs equal those of the original but for their texts', () => {
  test('there is one file for each of the 20', () => {
    expect(readdirSync(crds).toSorted()).toEqual(recorded.map(({ name }) => `${name}.yaml`).toSorted())
    expect(recorded).toHaveLength(20)
  })

  test.each(recorded)('$name', ({ name, group, names, scope, versions, schema }) => {
    const { metadata, spec } = readCrd(name)
    const withSchema = versions.map((version) => ({ ...version, schema: { openAPIV3Schema: schema } }))
    expect(metadata.name).toBe(name)
    expect(shape(spec)).toEqual(shape({ group, names, scope, versions: withSchema }))
  })
})

/** Fields without a text, in the version that `kubectl explain` shows. */
function unexplained(schema: JSONSchemaProps, path: string): string[] {
  const object = schema.items ?? schema.additionalProperties ?? schema
  return Object.entries(object.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description === undefined ? [`${path}.${name}`] : []),
    ...unexplained(property, `${path}.${name}`),
  ])
}

describe('kubectl explain', () => {
  test.each(recorded)('has a text for every field of $names.kind', ({ name, names }) => {
    const schemas = readCrd(name).spec.versions.map((version) => version.schema?.openAPIV3Schema ?? {})
    const explained = schemas.find(({ description }) => description !== undefined)
    // The API server takes no text for an object's own metadata.
    expect(unexplained(explained ?? {}, names.kind)).toEqual([`${names.kind}.metadata`])
    expect(explained?.description).toBeDefined()
  })
})
