/** Reads `fields/`: every type of the API with its fields, one file per group, version and noun. */
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../fields', import.meta.url))

/** A field's type as written in the table; README.md of `fields/` has the grammar. */
export type FieldType =
  | { readonly form: 'scalar'; readonly name: string }
  | { readonly form: 'enum'; readonly values: readonly string[] }
  | { readonly form: 'type'; readonly name: string }
  | { readonly form: 'list'; readonly of: FieldType; readonly listType?: string; readonly mapKeys?: readonly string[] }
  | { readonly form: 'map'; readonly of: FieldType }

export type Field = { readonly name: string; readonly optional: boolean; readonly type: FieldType }

export type ApiType = { readonly name: string; readonly file: string; readonly fields: readonly Field[] }

const scalars = new Set([
  'string',
  'boolean',
  'int32',
  'int64',
  'integer',
  'number',
  'double',
  'Quantity',
  'Time',
  'Duration',
  'IntOrString',
  'RawExtension',
  'FieldsV1',
])

/** Parses one entry, e.g. `[Disk] map(name)`; throws on an entry that the grammar does not know. */
export function parseFieldType(text: string): FieldType {
  const list = /^\[(.+)\](?: (atomic|set)| map\(([\w,]+)\))?$/.exec(text)
  if (list) return parseList(list)
  const map = /^\{(.+)\}$/.exec(text)
  if (map?.[1] !== undefined) return { form: 'map', of: parseFieldType(map[1]) }
  if (text.startsWith("'")) return { form: 'enum', values: text.split('|').map((value) => value.slice(1, -1)) }
  if (scalars.has(text)) return { form: 'scalar', name: text }
  if (/^[A-Z]\w*$/.test(text)) return { form: 'type', name: text }
  throw new Error(`fields: unknown type "${text}"; the grammar is in packages/api/fields/README.md`)
}

function parseList([, of = '', listType, mapKeys]: RegExpExecArray): FieldType {
  const list = { form: 'list', of: parseFieldType(of) } as const
  if (mapKeys !== undefined) return { ...list, listType: 'map', mapKeys: mapKeys.split(',') }
  return listType === undefined ? list : { ...list, listType }
}

/** All types by name. Throws when a name is used twice or a field refers to a type that does not exist. */
export function readFieldTable(): ReadonlyMap<string, ApiType> {
  const types = new Map<string, ApiType>()
  for (const file of tableFiles()) {
    const content = JSON.parse(readFileSync(`${folder}/${file}.json`, 'utf8')) as Record<string, Record<string, string>>
    for (const [name, entries] of Object.entries(content)) {
      const twin = types.get(name)
      if (twin) throw new Error(`fields: ${name} stands in ${twin.file} and in ${file}; give one an Of<Group> suffix`)
      types.set(name, { name, file, fields: Object.entries(entries).map(([key, text]) => parseField(key, text)) })
    }
  }
  for (const type of types.values()) for (const field of type.fields) checkReference(types, type, field.type)
  return types
}

function tableFiles(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .toSorted()
}

function parseField(key: string, text: string): Field {
  const optional = key.endsWith('?')
  return { name: optional ? key.slice(0, -1) : key, optional, type: parseFieldType(text) }
}

function checkReference(types: ReadonlyMap<string, ApiType>, owner: ApiType, type: FieldType): void {
  if (type.form === 'list' || type.form === 'map') checkReference(types, owner, type.of)
  if (type.form === 'type' && !types.has(type.name)) {
    throw new Error(`fields: ${owner.name} in ${owner.file} refers to ${type.name}, which no file defines`)
  }
}
