import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { answerOf } from '../client/subresource.ts'
import { CommandError } from '../command.ts'
import type { CommandContext, Flag, FlagValues } from '../command.ts'
import { textOf } from '../flags.ts'

export const sourceFlags: readonly Flag[] = [
  { flags: '--name <name>', help: 'name of the template, if not the argument' },
  { flags: '-f, --file <file>', help: 'file with the template; - is standard input' },
]

/** A kind of templates in the cluster. */
export interface Served {
  readonly group: string
  /** The newest first. */
  readonly versions: readonly string[]
  readonly plural: string
}

/** The name that an argument or a flag says, or the file that a flag says. */
export function chosen(argument: string | undefined, flags: FlagValues) {
  const [name, file] = [textOf(flags, 'name'), textOf(flags, 'file')]
  if (argument && name) throw new CommandError('provide name either from positional argument or from flag')
  const named = argument ?? name
  if (named && file) throw new CommandError('only one of name or file can be provided')
  if (!named && !file) throw new CommandError('name or file must be provided: add a name, or --file')
  return { name: named, file }
}

/** Reads a template from a file, from standard input, or from the cluster. */
export async function readTemplate(
  context: CommandContext,
  { name, file }: ReturnType<typeof chosen>,
  served: Served,
): Promise<Record<string, unknown>> {
  if (file === undefined) return fetched(context, name!, served)
  const value = await readYaml(file, context)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandError(`${file} is no template: an object is needed`)
  return value as Record<string, unknown>
}

/** What a file holds, in YAML or JSON. */
export async function readYaml(file: string, { terminal }: CommandContext): Promise<unknown> {
  try {
    const { parse } = await import('yaml')
    return parse(file === '-' ? await readAll(terminal.stdin) : await readFile(file, 'utf8')) as unknown
  } catch (error) {
    throw new CommandError(`${file} can not be read: ${(error as Error).message}`)
  }
}

async function fetched(
  { cluster }: CommandContext,
  name: string,
  { group, versions, plural }: Served,
): Promise<Record<string, unknown>> {
  const { client, namespace } = await cluster()
  const what = `${plural}.${group} ${namespace}/${name}`
  for (const version of versions) {
    const place = `${group}/${version}/namespaces/${encodeURIComponent(namespace)}`
    const path = `/apis/${place}/${plural}/${encodeURIComponent(name)}`
    const answer = await client.request({ method: 'GET', path })
    if (answer.status === 404) continue
    try {
      return JSON.parse(answerOf(answer).toString()) as Record<string, unknown>
    } catch (error) {
      throw new CommandError(`error fetching ${what}: ${(error as Error).message}`)
    }
  }
  throw new CommandError(
    `error fetching ${what}: it is not there, or the cluster has no such templates; --file takes one from a file`,
  )
}
