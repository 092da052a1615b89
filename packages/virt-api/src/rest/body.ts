import { StatusError } from '../status-error.ts'

/** Kinds of the fields that options of a subresource may have. */
type FieldType = 'string' | 'number' | 'boolean' | 'strings'

interface ValueOf {
  string: string
  number: number
  boolean: boolean
  strings: string[]
}

type Values<F extends Readonly<Record<string, FieldType>>> = { readonly [K in keyof F]?: ValueOf[F[K]] }

const checks: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  strings: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
}

/**
 * Reads options as Go's decoder does: no body or `null` is no options, unknown keys are passed over, keys match
 * whatever their case. Throws a 400 for what can not be read.
 */
export function decodeOptions<const F extends Readonly<Record<string, FieldType>>>(
  body: unknown,
  fields: F,
): Values<F> {
  const given = parsed(body)
  const values: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const field = Object.keys(fields).find((each) => each === key || each.toLowerCase() === key.toLowerCase())
    if (field === undefined || value === null) continue
    if (!checks[fields[field]!](value)) throw unreadable(`field ${field} is not a ${fields[field]}`)
    values[field] = value
  }
  return values as Values<F>
}

function parsed(body: unknown): object {
  const text = Buffer.isBuffer(body) ? body.toString().trim() : ''
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw unreadable((error as Error).message)
  }
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw unreadable('an object is needed')
  return value
}

const unreadable = (problem: string) =>
  new StatusError(400, `Can not unmarshal Request body to struct, error: ${problem}`)
