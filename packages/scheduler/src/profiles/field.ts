import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node as YamlNode, type Pair } from 'yaml'

/** A mistake in a configuration file: says where. */
export class ConfigurationError extends Error {
  readonly reason = 'InvalidConfiguration'

  constructor(place: string, path: string, problem: string) {
    super(path === '' ? `${place}: ${problem}` : `${place}: ${path}: ${problem}`)
    this.name = 'ConfigurationError'
  }
}

interface Source {
  readonly file: string
  readonly lines: LineCounter
}

/** A value of a YAML file that knows its place, so that a mistake can be told with file, line and field. */
export class Field {
  readonly path: string
  readonly #source: Source
  readonly #node: YamlNode | null
  /** Where the key stands, for values that are empty. */
  readonly #offset: number

  constructor(source: Source, path: string, node: YamlNode | null, offset = 0) {
    this.#source = source
    this.path = path
    this.#node = node
    this.#offset = node?.range?.[0] ?? offset
  }

  /** Throws a ConfigurationError where the text is no YAML. */
  static parse(file: string, text: string): Field {
    const lines = new LineCounter()
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
    const source = { file, lines }
    const [error] = document.errors
    if (error !== undefined) throw new ConfigurationError(placeOf(source, error.pos[0]), '', error.message)
    return new Field(source, '', document.contents as YamlNode | null)
  }

  error(problem: string): ConfigurationError {
    return new ConfigurationError(this.place, this.path, problem)
  }

  /** `file:line`. */
  get place(): string {
    return placeOf(this.#source, this.#offset)
  }

  /** The named fields that are given; any other is a mistake. */
  fields<const K extends string>(...known: readonly K[]): Partial<Record<K, Field>> {
    const found: Partial<Record<K, Field>> = {}
    for (const [key, field] of this.entries()) {
      if (!(known as readonly string[]).includes(key)) {
        throw field.error(`unknown field; known are ${known.join(', ')}`)
      }
      found[key as K] = field
    }
    return found
  }

  entries(): [key: string, field: Field][] {
    if (this.isEmpty) return []
    if (!isMap(this.#node)) throw this.error('must be a map')
    return (this.#node.items as Pair<YamlNode, YamlNode | null>[]).map(({ key, value }) => {
      const name = isScalar(key) ? String(key.value) : ''
      const path = this.path === '' ? name : `${this.path}.${name}`
      return [name, new Field(this.#source, path, value, key.range?.[0])]
    })
  }

  items(): Field[] {
    if (this.isEmpty) return []
    if (!isSeq(this.#node)) throw this.error('must be a list')
    return (this.#node.items as (YamlNode | null)[]).map(
      (item, index) => new Field(this.#source, `${this.path}[${index}]`, item, this.#offset),
    )
  }

  /** Absent, or null. */
  get isEmpty(): boolean {
    return this.#node === null || (isScalar(this.#node) && this.#node.value === null)
  }

  string(): string {
    const value = this.value()
    if (typeof value !== 'string') throw this.error('must be a string')
    return value
  }

  boolean(): boolean {
    const value = this.value()
    if (typeof value !== 'boolean') throw this.error('must be true or false')
    return value
  }

  integer({ minimum = -Infinity, maximum = Infinity } = {}): number {
    const value = this.value()
    if (typeof value !== 'number' || !Number.isInteger(value)) throw this.error('must be a whole number')
    if (value < minimum || value > maximum) throw this.error(`${value} is not between ${minimum} and ${maximum}`)
    return value
  }

  number({ minimum = -Infinity } = {}): number {
    const value = this.value()
    if (typeof value !== 'number') throw this.error('must be a number')
    if (value < minimum) throw this.error(`${value} is less than ${minimum}`)
    return value
  }

  oneOf<const T extends string>(...values: readonly T[]): T {
    const value = this.string()
    if (!(values as readonly string[]).includes(value))
      throw this.error(`"${value}" is not one of ${values.join(', ')}`)
    return value as T
  }

  /** Milliseconds of a duration such as `1m30s`. */
  duration(): number {
    const text = this.string()
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
    if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
      throw this.error(`"${text}" is no duration such as 15s or 1m30s`)
    }
    return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitMs[unit!]!, 0)
  }

  /** The plain value, whatever it is. */
  value(): unknown {
    return this.#node?.toJSON()
  }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function placeOf({ file, lines }: Source, offset: number): string {
  return `${file}:${lines.linePos(offset).line}`
}
