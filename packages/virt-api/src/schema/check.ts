import { shapes } from './generated/shapes.ts'

/**
 * Says what is wrong with a value, beginning with the way from the value to the fault, such as `.cpu.cores`; undefined
 * when nothing is. Ways are written where there is a fault alone: most values have none, and each review is checked.
 */
type Check = (value: unknown) => string | undefined

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typed =
  (word: string, test: (value: unknown) => boolean): Check =>
  (value) =>
    test(value) ? undefined : ` in body must be of type ${word}: ${JSON.stringify(value)?.slice(0, 80)}`

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
  const problem = checkOf(type)(value)
  return problem === undefined ? undefined : path + problem
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
  (value) =>
    value === null || value === undefined ? undefined : check(value)

function makeCheck(type: string): Check {
  if (type.startsWith('[')) return listCheck(type.slice(1, -1))
  if (type.startsWith('{')) return mapCheck(type.slice(1, -1))
  if (type.startsWith("'")) return wordCheck(type.slice(1, -1).split("'|'"))
  return scalars[type] ?? (shapes[type] ? objectCheck(shapes[type]) : () => undefined)
}

const notA = (word: string) => typed(word, () => false)

function listCheck(element: string): Check {
  return (value) => {
    if (!Array.isArray(value)) return notA('array')(value)
    const check = checkOf(element)
    for (let index = 0; index < value.length; index++) {
      const problem = check(value[index])
      if (problem !== undefined) return `[${index}]${problem}`
    }
    return undefined
  }
}

function mapCheck(element: string): Check {
  return (value) => {
    if (!isObject(value)) return notA('object')(value)
    const check = checkOf(element)
    for (const key in value) {
      const problem = check(value[key])
      if (problem !== undefined) return `.${key}${problem}`
    }
    return undefined
  }
}

const wordCheck =
  (words: readonly string[]): Check =>
  (value) =>
    value === '' || words.includes(value as string)
      ? undefined
      : ` in body should be one of [${words.join(' ')}]: ${JSON.stringify(value)}`

function objectCheck(fields: Readonly<Record<string, string>>): Check {
  const types = new Map(Object.entries(fields))
  return (value) => {
    if (!isObject(value)) return notA('object')(value)
    for (const name in value) {
      const type = types.get(name)
      if (type === undefined) return `.${name} in body is a forbidden property; there is no such field`
      const problem = checkOf(type)(value[name])
      if (problem !== undefined) return `.${name}${problem}`
    }
    return undefined
  }
}
