import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'
import { clusterFlags } from './client/cluster-flags.ts'
import { told } from './client/told.ts'
import { CommandError } from './command.ts'
import type { Cluster, CommandDefinition, Flag, FlagValues, Output } from './command.ts'
import { commands, commandsOf } from './commands.ts'
import type { ListedCommand } from './commands.ts'
import { plainSpelling } from './spelling.ts'
import type { Terminal } from './terminal.ts'

/** What the commands below a word have in common. */
const groups: Readonly<Record<string, string>> = {
  adm: 'Administrate KubeVirt configuration.',
  create: 'Print a manifest for the kind that is named.',
  'memory-dump': 'Dump the memory of a running virtual machine into a claim.',
  credentials: 'Manage SSH keys and passwords of a virtual machine.',
  template: 'Make virtual machines by templates.',
}

const globalFlags: readonly Flag[] = [
  ...clusterFlags,
  { flags: '-v, --v <level>', help: 'log level; accepted for compatibility' },
]

/** Those that have their value in the next argument, in all their spellings. */
const globalsWithValue = new Set(
  globalFlags.filter(({ flags }) => flags.includes('<')).flatMap(({ flags }) => flags.match(/--?[a-z-]+/g) ?? []),
)

/** `kubectl virt` when it was installed as a plugin. */
export const programName = (path: string): string => {
  const name = basename(path)
  return name.endsWith('-virt') ? `${name.slice(0, -'-virt'.length)} virt` : 'virtctl'
}

/** Runs one command line; `argv` begins after the program. Answers the exit code. */
export async function run(
  argv: readonly string[],
  name: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const print = (output: Output) => {
    if (output !== undefined) terminal.stdout.write(`${output}\n`)
  }
  let connected: Promise<Cluster> | undefined
  const cluster = (flags: FlagValues) => (connected ??= connectBy(flags, terminal))
  const shared = { name, terminal, signal, print, cluster }
  const words = wordsOf(argv)
  const called = commandsOf(words[0] ?? '')
  const definitions = await Promise.all(called.map(({ load }) => load()))
  const program = newProgram(name, terminal, definitionOf(definitions, words))
  for (const each of commands) {
    const definition = definitions[called.indexOf(each)]
    if (definition) addCommand(program, definition, shared)
    else addSummary(program, each)
  }
  const flags = [...globalFlags, ...definitions.flatMap((definition) => definition.flags ?? [])]
  try {
    const whole = isUnfinished(argv, words, called) ? [...argv, '--help'] : plainSpelling(argv, flags)
    await program.parseAsync(whole, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    // As a shell tells of a program that Ctrl+C ended; the user knows why.
    if (signal.aborted) return 130
    const notice = await connected?.then(noticeOf, () => undefined)
    if (notice) terminal.stderr.write(`${notice}\n`)
    terminal.stderr.write(`${told(error)}\n`)
    return error instanceof CommandError ? error.exitCode : 1
  }
}

const connectBy = async (flags: FlagValues, { stderr }: Terminal): Promise<Cluster> =>
  (await import('./client/connect.ts')).connect(flags, (line) => void stderr.write(`${line}\n`))

const noticeOf = async (cluster: Cluster) => (await import('./version/mismatch.ts')).mismatchNotice(cluster)

/** The words that choose the command, and what follows them; `help` stands before the one that it is about. */
function wordsOf(argv: readonly string[]): string[] {
  const words: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!
    if (globalsWithValue.has(argument)) at++
    else if (!argument.startsWith('-') && (words.length > 0 || argument !== 'help')) words.push(argument)
  }
  return words
}

/** The definition that the words choose, among those that the first of them may mean. */
const definitionOf = (definitions: readonly CommandDefinition[], [first, second]: readonly string[]) =>
  definitions.find(({ name }) => name === `${first} ${second}`) ?? definitions.find(({ name }) => name === first)

/** No command, or only the group of one: whoever asks so wants to see what there is. */
const isUnfinished = (argv: readonly string[], words: readonly string[], called: readonly ListedCommand[]): boolean =>
  argv.length === 0 || (words.length === 1 && called.length > 0 && called.every(({ name }) => name !== words[0]))

/** A flag of the called command that has the name of a global one is the command's: the user of a guest, say. */
function newProgram(name: string, { stdout, stderr }: Terminal, called: CommandDefinition | undefined): Command {
  const program = new Command(name)
    .description('virtctl controls virtual machine related operations on your kubernetes cluster.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .helpCommand(true)
    .showHelpAfterError(`Use "${name} --help" or "${name} COMMAND --help" for the usage.`)
  const own = new Set((called?.flags ?? []).map(longName))
  for (const flag of globalFlags) if (!own.has(longName(flag))) addFlag(program, flag)
  return program
}

/** What all commands of one command line have in common. */
interface Shared {
  /** How the program was called. */
  readonly name: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly print: (output: Output) => void
  /** Connects once, however often it is asked. */
  readonly cluster: (flags: FlagValues) => Promise<Cluster>
}

function addCommand(program: Command, definition: CommandDefinition, shared: Shared): void {
  const { name, terminal, signal, print, cluster } = shared
  const command = placeOf(program, definition.name).summary(definition.summary).description(definition.summary)
  for (const [argument, help] of definition.arguments ?? [])
    command.argument(argument.startsWith('[') ? argument : `<${argument}>`, help)
  for (const flag of definition.flags ?? []) addFlag(command, flag)
  if (definition.anything) command.allowUnknownOption().allowExcessArguments()
  const examples = definition.examples.map(([does, line]) => `  # ${does}\n  ${name} ${line}`)
  command.addHelpText(
    'after',
    `\nExamples:\n${examples.join('\n\n')}\n\nUse "${name} --help" for the flags that every command takes.`,
  )
  command.action(async () => {
    const flags = command.optsWithGlobals<FlagValues>()
    const global = program.opts<FlagValues>()
    print(await definition.run({ cluster: () => cluster(global), terminal, signal }, command.args, flags))
  })
}

/** Another command than the one that was called stands in the help alone. */
function addSummary(program: Command, { name, summary }: ListedCommand): void {
  placeOf(program, name).summary(summary)
}

/** A command of two words stands below its first, which is made when there is no command of that name. */
function placeOf(program: Command, name: string): Command {
  const [first = '', second] = name.split(' ')
  if (second === undefined) return program.command(first)
  const parent =
    program.commands.find((each) => each.name() === first) ??
    program
      .command(first)
      .summary(groups[first] ?? '')
      .description(groups[first] ?? '')
  return parent.command(second)
}

const longName = ({ flags }: Flag): string | undefined => /--[\w-]+/.exec(flags)?.[0]

function addFlag(command: Command, { flags, help, default: value, parse }: Flag): void {
  if (parse) command.option(flags, help, parse, value)
  else command.option(flags, help, value as string | boolean | undefined)
}
