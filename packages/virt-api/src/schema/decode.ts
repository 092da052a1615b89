import { shapes } from './generated/shapes.ts'
import { shapeProblem } from './check.ts'

/** A value that its type can not hold; the message names the field. */
export class DecodeError extends Error {}

/**
 * Reads a value as Go's decoder reads it into a struct of this type: keys match whatever their case (an exact one
 * wins), unknown keys and nulls are passed over. Throws a DecodeError for a value of another type.
 */
export function decode(type: string, value: unknown, path = type): unknown {
  const known = picked(type, value)
  const problem = shapeProblem(type, known, path)
  if (problem !== undefined) throw new DecodeError(problem)
  return known
}

/** The part of a value that the type knows, under the names it has for it; other types of values stay as they are. */
function picked(type: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    return type.startsWith('[') ? value.map((each) => picked(type.slice(1, -1), each)) : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (type.startsWith('{')) {
    return Object.fromEntries(present(value).map(([key, each]) => [key, picked(type.slice(1, -1), each)]))
  }
  const shape = shapes[type]
  return shape ? Object.fromEntries(fieldsOf(shape, value)) : value
}

const present = (value: object): [string, unknown][] => Object.entries(value).filter(([, each]) => each !== null)

function fieldsOf(shape: Readonly<Record<string, string>>, value: object): [string, unknown][] {
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]))
  // Exact keys come last, so that they win.
  const given = present(value).toSorted(([a], [b]) => Number(Object.hasOwn(shape, a)) - Number(Object.hasOwn(shape, b)))
  return given.flatMap(([key, each]) => {
    const name = Object.hasOwn(shape, key) ? key : names.get(key.toLowerCase())
    return name === undefined ? [] : [[name, picked(shape[name]!, each)]]
  })
}
