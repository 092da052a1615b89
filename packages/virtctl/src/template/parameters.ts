import { CommandError } from '../command.ts'
import { generated } from './generate.ts'
import type { Values } from './substitute.ts'

/** What a template can be told. */
export interface Parameter {
  readonly name: string
  readonly displayName?: string
  readonly description?: string
  readonly value?: string
  readonly generate?: string
  readonly from?: string
  readonly required?: boolean
}

/** The value of each parameter: what was given, else its own, else one that is drawn. Throws for one that is missing. */
export function valuesOf(parameters: readonly Parameter[], given: Readonly<Record<string, string>>): Values {
  const names = parameters.map(({ name }) => name)
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const known = names.length > 0 ? `use ${names.join(', ')}` : 'it has none'
    throw new CommandError(`parameter ${name} not found in template; ${known}`)
  }
  return new Map(parameters.map((parameter) => [parameter.name, valueOf(parameter, given[parameter.name])]))
}

function valueOf({ name, value, generate, from, required }: Parameter, given: string | undefined): string {
  const text = given ?? value ?? ''
  if (text !== '') return text
  if (generate && generate !== 'expression')
    throw new CommandError(`parameter ${name}: generate: ${generate} is not known; use expression`)
  const drawn = generate ? generated(from ?? '') : ''
  if (drawn === '' && required)
    throw new CommandError(`parameter ${name} is required and must be specified: add --param ${name}=VALUE`)
  return drawn
}
