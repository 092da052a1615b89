type OptionType = 'string' | 'number' | 'boolean' | 'duration' | 'list'

/** One flag. A duration is written `1h5m30s` and read as milliseconds; a list is separated by commas. */
export interface OptionDefinition {
  readonly flag: string
  readonly type: OptionType
  /** Durations in milliseconds. */
  readonly default?: string | number | boolean | readonly string[]
  /** An environment variable that counts when the flag is not given. */
  readonly env?: string
  readonly help: string
}

export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>

interface TypeOf {
  string: string
  number: number
  boolean: boolean
  duration: number
  list: readonly string[]
}

type ValueOf<D extends OptionDefinition> = D extends { readonly default: NonNullable<OptionDefinition['default']> }
  ? TypeOf[D['type']]
  : TypeOf[D['type']] | undefined

export type OptionValues<D extends OptionDefinitions> = { readonly [K in keyof D]: ValueOf<D[K]> }

/** Where `--help` and errors go, and how the process ends; tests replace it. */
export interface ParseTerminal {
  /** Shown in the first line of the help. */
  readonly name?: string
  readonly print?: (text: string) => void
  readonly printError?: (text: string) => void
  readonly exit?: (code: number) => never
}

type Value = string | number | boolean | readonly string[]

/** A command line that cannot be read. */
class WrongOption extends Error {}

/** Keeps the exact types of the definitions. */
export function defineOptions<const D extends OptionDefinitions>(definitions: D): D {
  return definitions
}

/**
 * Reads `--flag v`, `--flag=v`, `-v 2`, `--bool` and `--bool=false`; `argv` starts after the program's name.
 * `--help` prints the table and exits with 0; an unknown flag or a wrong value prints an error and exits with 2.
 */
export function parseOptions<const D extends OptionDefinitions>(
  definitions: D,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  terminal: ParseTerminal = {},
): OptionValues<D> {
  const { name, print = console.log, printError = console.error, exit = (code) => process.exit(code) } = terminal
  if (argv.some((argument) => argument === '--help' || argument === '-h')) {
    print(helpText(definitions, name))
    return exit(0)
  }
  try {
    return {
      ...defaults(definitions),
      ...fromEnv(definitions, env),
      ...fromArguments(definitions, argv),
    } as OptionValues<D>
  } catch (error) {
    if (!(error instanceof WrongOption)) throw error
    printError(`error: ${error.message}\nsee ${name ?? 'the program'} --help`)
    return exit(2)
  }
}

function defaults(definitions: OptionDefinitions): Record<string, Value | undefined> {
  return Object.fromEntries(Object.entries(definitions).map(([key, definition]) => [key, definition.default]))
}

function fromEnv(
  definitions: OptionDefinitions,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, Value> {
  const given = Object.entries(definitions).flatMap(([key, definition]) => {
    const text = definition.env === undefined ? undefined : env[definition.env]
    return text === undefined || text === '' ? [] : [[key, read(definition, text, `$${definition.env}`)] as const]
  })
  return Object.fromEntries(given)
}

function fromArguments(definitions: OptionDefinitions, argv: readonly string[]): Record<string, Value> {
  const keys = new Map(Object.entries(definitions).map(([key, definition]) => [definition.flag, key]))
  const values: Record<string, Value> = {}
  for (let index = 0; index < argv.length; index++) {
    const { flag, text } = split(argv[index]!)
    const key = keys.get(flag)
    if (key === undefined) throw new WrongOption(`unknown flag ${argv[index]!.split('=', 1)[0]}`)
    const definition = definitions[key]!
    const shown = display(flag)
    if (text !== undefined) values[key] = read(definition, text, shown)
    else if (definition.type === 'boolean') values[key] = true
    else if (index + 1 < argv.length) values[key] = read(definition, argv[++index]!, shown)
    else throw new WrongOption(`flag ${shown} needs a value`)
  }
  return values
}

function split(argument: string): { flag: string; text?: string } {
  const match = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(argument)
  if (match === null) throw new WrongOption(`unexpected argument "${argument}": only flags are known here`)
  const [, flag = '', text] = match
  return text === undefined ? { flag } : { flag, text }
}

function read({ type }: OptionDefinition, text: string, source: string): Value {
  switch (type) {
    case 'string':
      return text
    case 'list':
      return text.split(',').filter((item) => item !== '')
    case 'number':
      return readNumber(text, source)
    case 'boolean':
      return readBoolean(text, source)
    case 'duration':
      return readDuration(text, source)
  }
}

function readNumber(text: string, source: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) throw new WrongOption(`${source} needs a number, not "${text}"`)
  return number
}

function readBoolean(text: string, source: string): boolean {
  if (/^(true|t|1)$/i.test(text)) return true
  if (/^(false|f|0)$/i.test(text)) return false
  throw new WrongOption(`${source} needs true or false, not "${text}"`)
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function readDuration(text: string, source: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new WrongOption(`${source} needs a duration such as 30s or 1h5m, not "${text}"`)
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit!] ?? 0), 0)
}

const typeWords: Readonly<Record<OptionType, string>> = {
  string: 'string',
  number: 'int',
  boolean: '',
  duration: 'duration',
  list: 'strings',
}

/** The table of flags in pflag's form. */
export function helpText(definitions: OptionDefinitions, name?: string): string {
  const all = [...Object.values(definitions), { flag: 'help', type: 'boolean', help: 'print this help' } as const]
  const rows = all
    .toSorted((a, b) => (a.flag < b.flag ? -1 : 1))
    .map((definition) => [heading(definition), description(definition)] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  const table = rows.map(([left, right]) => `${left.padEnd(width)}   ${right}`)
  return [...(name === undefined ? [] : ['Usage:', `  ${name} [flags]`, '']), 'Flags:', ...table].join('\n')
}

function heading({ flag, type }: OptionDefinition): string {
  const short = flag === 'help' ? '-h, ' : flag.length === 1 ? `-${flag}, ` : '    '
  return `  ${short}--${flag} ${typeWords[type]}`.trimEnd()
}

function description(definition: OptionDefinition): string {
  const shown = displayDefault(definition)
  const env = definition.env === undefined ? '' : ` [$${definition.env}]`
  return `${definition.help}${env}${shown === undefined ? '' : ` (default ${shown})`}`
}

/** Like pflag, which does not show what is false, zero or empty. */
function displayDefault({ type, default: value }: OptionDefinition): string | undefined {
  if (value === undefined || value === false || value === 0 || value === '') return undefined
  if (type === 'duration') return durationText(Number(value))
  if (type === 'string') return JSON.stringify(value)
  if (type === 'list') return (value as readonly string[]).length === 0 ? undefined : `[${String(value)}]`
  return String(value)
}

function durationText(milliseconds: number): string {
  const [hours, minutes, seconds] = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor((milliseconds % 3_600_000) / 60_000),
    (milliseconds % 60_000) / 1000,
  ]
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

function display(flag: string): string {
  return flag.length === 1 ? `-${flag}` : `--${flag}`
}
