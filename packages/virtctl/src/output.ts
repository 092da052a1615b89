import { CommandError } from './command.ts'
import type { Flag, FlagValues } from './command.ts'

/** Forms in which data is printed. */
export type Form = 'json' | 'yaml'

export const outputFlag = (form: Form): Flag => ({
  flags: '-o, --output <form>',
  help: 'json or yaml',
  default: form,
})

/** Writes data in the form that the flag says, without a line end. */
export async function printed(value: unknown, { output }: FlagValues): Promise<string> {
  if (output === 'json') return JSON.stringify(value, null, 2)
  if (output !== 'yaml') throw new CommandError(`--output: ${String(output)} is not known; use json or yaml`)
  return yaml(value)
}

/** YAML that older parsers read the same way; the writer is loaded when something is printed in it. */
export async function yaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' }).trimEnd()
}
