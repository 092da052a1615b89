import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'
import { logVerbosity } from './adm/log-verbosity.ts'
import { clusterFlags, connect } from './client/connect.ts'
import { CommandError } from './command.ts'
import type { Cluster, CommandDefinition, Flag, FlagValues, Output } from './command.ts'
import { completionOf } from './completion/completion.ts'
import { consoleCommand } from './console/console.ts'
import { createClone } from './create/clone.ts'
import { createInstancetype, createPreference } from './create/instancetype.ts'
import { createVm } from './create/vm.ts'
import { setPassword } from './credentials/password.ts'
import { addSshKey, removeSshKey } from './credentials/ssh-key.ts'
import { permittedDevices } from './devices/permitted-devices.ts'
import { expand } from './expand/expand.ts'
import { objectGraph } from './expand/objectgraph.ts'
import { expose } from './expose/expose.ts'
import { fsList, guestOsInfo, userList } from './guest/info.ts'
import { reset, softReboot } from './guest/reboot.ts'
import { home } from './home/home.ts'
import { imageUpload } from './image-upload/image-upload.ts'
import { getMemoryDump, removeMemoryDump } from './memory-dump/memory-dump.ts'
import { pause, unpause } from './pause/pause.ts'
import { portForward } from './portforward/portforward.ts'
import { render } from './render/render.ts'
import { scp } from './ssh/scp.ts'
import { ssh } from './ssh/ssh.ts'
import type { Terminal } from './terminal.ts'
import { unavailableCommands } from './unavailable/unavailable.ts'
import { top } from './top/top.ts'
import { why } from './why/why.ts'
import { usbredir } from './usbredir/usbredir.ts'
import { mismatchNotice } from './version/mismatch.ts'
import { version } from './version/version.ts'
import { evacuateCancel } from './vm/evacuate-cancel.ts'
import { migrate, migrateCancel } from './vm/migrate.ts'
import { restart } from './vm/restart.ts'
import { start } from './vm/start.ts'
import { stop } from './vm/stop.ts'
import { screenshot } from './vnc/screenshot.ts'
import { vnc } from './vnc/vnc.ts'
import { addVolume, removeVolume } from './volume/volumes.ts'

const commands: readonly CommandDefinition[] = [
  start,
  stop,
  restart,
  migrate,
  migrateCancel,
  evacuateCancel,
  pause,
  unpause,
  softReboot,
  reset,
  consoleCommand,
  vnc,
  screenshot,
  usbredir,
  ssh,
  scp,
  portForward,
  expose,
  addVolume,
  removeVolume,
  guestOsInfo,
  userList,
  fsList,
  createVm,
  createInstancetype,
  createPreference,
  createClone,
  addSshKey,
  removeSshKey,
  setPassword,
  expand,
  objectGraph,
  permittedDevices,
  logVerbosity,
  getMemoryDump,
  removeMemoryDump,
  imageUpload,
  why,
  top,
  render,
  home,
  ...unavailableCommands,
  version,
  completionOf(() => commands),
]

/** What the commands below a word have in common. */
const groups: Readonly<Record<string, string>> = {
  adm: 'Administrate KubeVirt configuration.',
  create: 'Print a manifest for the kind that is named.',
  'memory-dump': 'Dump the memory of a running virtual machine into a claim.',
  credentials: 'Manage SSH keys and passwords of a virtual machine.',
}

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
  const program = newProgram(name, terminal)
  let connected: Promise<Cluster> | undefined
  const cluster = (flags: FlagValues) => (connected ??= connect(flags))
  const shared = { name, terminal, signal, print, cluster }
  for (const definition of commands) addCommand(program, definition, shared)
  try {
    await program.parseAsync(withPlainSwitches(argv), { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    const notice = await connected?.then(mismatchNotice, () => undefined)
    if (notice) terminal.stderr.write(`${notice}\n`)
    terminal.stderr.write(`${(error as Error).message}\n`)
    return error instanceof CommandError ? error.exitCode : 1
  }
}

/** Scripts made for the original write switches as `--force=true`, which commander does not know. */
function withPlainSwitches(argv: readonly string[]): string[] {
  const all = [...clusterFlags, ...commands.flatMap(({ flags }) => flags ?? [])]
  const switches = new Set(
    all.filter(({ flags }) => !/[<[]/.test(flags)).map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0]),
  )
  return argv.flatMap((argument) => {
    const [name, value] = argument.split('=')
    if (!switches.has(name) || (value !== 'true' && value !== 'false')) return [argument]
    return value === 'true' ? [name!] : []
  })
}

function newProgram(name: string, { stdout, stderr }: Terminal): Command {
  const program = new Command(name)
    .description('virtctl controls virtual machine related operations on your kubernetes cluster.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .helpCommand(true)
    .showHelpAfterError(`Use "${name} --help" or "${name} COMMAND --help" for the usage.`)
  for (const flag of clusterFlags) addFlag(program, flag)
  program.option('-v, --v <level>', 'log level; accepted for compatibility')
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
    print(await definition.run({ cluster: () => cluster(flags), terminal, signal }, command.args, flags))
  })
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

function addFlag(command: Command, { flags, help, default: value, parse }: Flag): void {
  if (parse) command.option(flags, help, parse, value)
  else command.option(flags, help, value as string | boolean | undefined)
}
