/**
 * Texts for people: `descriptions/`, in the same files as the field table. The key "" of a type describes the type.
 * `common.json` has texts for fields that mean the same wherever they stand.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { ApiType, FieldType } from './field-table.ts'

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Text of a type, or of one of its fields: its own, else that of the type it refers to, else the common one. */
export type Describe = (type: string, field?: string) => string | undefined

export function readDescriptions(types: ReadonlyMap<string, ApiType>): Describe {
  const texts = new Map<string, Texts>()
  const common = readTexts('common')['*'] ?? {}
  const textsOf = (type: ApiType): Readonly<Record<string, string>> => {
    if (!texts.has(type.file)) texts.set(type.file, readTexts(type.file))
    return texts.get(type.file)?.[type.name] ?? {}
  }
  return (name, field) => {
    const type = types.get(name)
    if (!type) return undefined
    if (field === undefined) return textsOf(type)['']
    const target = type.fields.find((candidate) => candidate.name === field)?.type
    const referred = target && types.get(referredName(target) ?? '')
    return textsOf(type)[field] ?? (referred && textsOf(referred)['']) ?? common[field]
  }
}

function readTexts(file: string): Texts {
  const path = new URL(`../descriptions/${file}.json`, import.meta.url)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Texts) : {}
}

function referredName(type: FieldType): string | undefined {
  if (type.form === 'list' || type.form === 'map') return referredName(type.of)
  return type.form === 'type' ? type.name : undefined
}
