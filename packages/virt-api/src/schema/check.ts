import { shapes } from './generated/shapes.ts'

/** Says what is wrong with a value; undefined when nothing is. */
type Check = (value: unknown, path: string) => string | undefined

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typed =
  (word: string, test: (value: unknown) => boolean): Check =>
  (value, path) =>
    test(value) ? undefined : `${path} in body must be of type ${word}: ${JSON.stringify(value)?.slice(0, 80)}`

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'
/** What fits into 64 bits, as Go's whole numbers must. */
const isWhole = (value: unknown) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 63

const quantity = /^[+-]?(\d+|\d+\.\d*|\.\d+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?\d+))?$/

const scalars: Readonly<Record<string, Check>> = {
  string: typed('string', isText),
  boolean: typed('boolean', (value) => typeof value === 'boolean'),
  int32: typed('integer', isWhole),
  int64: typed('integer', isWhole),
  integer: typed('integer', isWhole),
  number: typed('number', isNumber),
  double: typed('number', isNumber),
  Quantity: typed('quantity', (value) => isNumber(value) || (isText(value) && quantity.test(value as string))),
  IntOrString: typed('integer or string', (value) => isText(value) || isWhole(value)),
  Time: typed('string', isText),
  Duration: typed('string', isText),
  RawExtension: typed('object', isObject),
  // Checked by the API server itself.
  ObjectMeta: () => undefined,
}

/**
 * Compares a spec with the fields that its type has: the first unknown field, value of another type, or word that is
 * none of the allowed. Which fields must be there is not looked at; `null` counts as absent, as in Go.
 */
export function shapeProblem(type: string, value: unknown, path: string): string | undefined {
  return checkOf(type)(value, path)
}

const checks = new Map<string, Check>()

function checkOf(type: string): Check {
  const known = checks.get(type)
  if (known) return known
  const check = nullable(makeCheck(type))
  checks.set(type, check)
  return check
}

const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null || value === undefined ? undefined : check(value, path)

function makeCheck(type: string): Check {
  if (type.startsWith('[')) return listCheck(type.slice(1, -1))
  if (type.startsWith('{')) return mapCheck(type.slice(1, -1))
  if (type.startsWith("'")) return wordCheck(type.slice(1, -1).split("'|'"))
  return scalars[type] ?? (shapes[type] ? objectCheck(shapes[type]) : () => undefined)
}

function listCheck(element: string): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return typed('array', () => false)(value, path)
    return firstProblem(value, (each, index) => checkOf(element)(each, `${path}[${index}]`))
  }
}

function mapCheck(element: string): Check {
  return (value, path) => {
    if (!isObject(value)) return typed('object', () => false)(value, path)
    return firstProblem(Object.entries(value), ([key, each]) => checkOf(element)(each, `${path}.${key}`))
  }
}

const wordCheck =
  (words: readonly string[]): Check =>
  (value, path) =>
    value === '' || words.includes(value as string)
      ? undefined
      : `${path} in body should be one of [${words.join(' ')}]: ${JSON.stringify(value)}`

function objectCheck(fields: Readonly<Record<string, string>>): Check {
  return (value, path) => {
    if (!isObject(value)) return typed('object', () => false)(value, path)
    return firstProblem(Object.entries(value), ([name, each]) => {
      const at = `${path}.${name}`
      if (!Object.hasOwn(fields, name)) return `${at} in body is a forbidden property; there is no such field`
      return checkOf(fields[name]!)(each, at)
    })
  }
}

function firstProblem<T>(
  items: readonly T[],
  check: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index)
    if (problem !== undefined) return problem
  }
  return undefined
}
