import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { hostOf, located, ownProgram, parseGuest, runClient, sshFlags, wayTo } from './local-client.ts'

export const scp: CommandDefinition = {
  name: 'scp',
  arguments: [
    ['source', 'file here, or [user@]kind/name[/namespace]:file'],
    ['destination', 'the same for where it goes'],
  ],
  summary: 'Copy files to or from a virtual machine, with the local scp.',
  examples: [
    ["Copy a file to 'myvm':", 'scp notes.txt alice@vm/myvm:notes.txt'],
    ['Copy a folder from there:', 'scp --recursive alice@vm/myvm:logs ./logs'],
  ],
  flags: [
    ...sshFlags,
    { flags: '-r, --recursive', help: 'copy folders with what is in them', default: false },
    { flags: '--preserve', help: 'keep times and modes', default: false },
  ],
  run: async (context, [source = '', destination = ''], flags) => {
    const [from, to] = [split(source), split(destination)]
    if ((from.guest === undefined) === (to.guest === undefined)) {
      throw new CommandError('exactly one of source and destination must be in a virtual machine: write kind/name:file')
    }
    const guest = await located(parseGuest((from.guest ?? to.guest)!, flags), context)
    const written = ({ guest: remote, file }: Place) =>
      remote === undefined ? file : `${guest.user}@${hostOf(guest)}:${file}`
    return runClient('scp', [
      ...(flags['recursive'] === true ? ['-r'] : []),
      ...(flags['preserve'] === true ? ['-p'] : []),
      ...wayTo(guest, flags, ownProgram()),
      written(from),
      written(to),
    ])
  },
}

interface Place {
  /** Undefined: here. */
  readonly guest: string | undefined
  readonly file: string
}

/** A guest is named before a colon, and has a slash in its name. */
function split(text: string): Place {
  const at = text.indexOf(':')
  const before = text.slice(0, Math.max(at, 0))
  return /^([^/]+@)?[a-z]+\/[^/]/i.test(before)
    ? { guest: before, file: text.slice(at + 1) }
    : { guest: undefined, file: text }
}
