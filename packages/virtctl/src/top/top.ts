import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../command.ts'
import type { CommandContext, CommandDefinition, FlagValues } from '../command.ts'
import { textOf } from '../flags.ts'
import { printed } from '../output.ts'
import { takeSnapshot } from './snapshot.ts'
import { table } from './table.ts'
import { orders, rows } from './usage.ts'
import type { Order, Row, Snapshot } from './usage.ts'

export const top: CommandDefinition = {
  name: 'top',
  arguments: [['[vmi]', 'name of one virtual machine; all of the namespace unless given']],
  summary: 'Show what virtual machines use of CPU, memory, disks and network.',
  examples: [
    ['Watch those of the namespace, the busiest first:', 'top --sort cpu'],
    ['Look once at all of the cluster:', 'top -A --once'],
    ['For a script:', 'top -o json'],
  ],
  flags: [
    { flags: '-A, --all-namespaces', help: 'in all namespaces', default: false },
    {
      flags: '--once',
      help: 'print once instead of watching; so it is, too, when the output is no terminal',
      default: false,
    },
    { flags: '--interval <seconds>', help: 'time between two looks', default: 2, parse: seconds },
    { flags: '--sort <what>', help: `order: ${orders.join(', ')}`, default: 'name', parse: order },
    { flags: '-o, --output <form>', help: 'json or yaml, once; a table unless told' },
  ],
  run: async (context, [name], flags) => {
    const { stdout } = context.terminal
    const cluster = await context.cluster()
    const wanted = { namespace: flags['allNamespaces'] === true ? undefined : cluster.namespace, name }
    const once = flags['once'] === true || stdout.isTTY !== true || textOf(flags, 'output') !== undefined
    let before = await takeSnapshot(cluster, wanted)
    for (;;) {
      await pause(flags['interval'] as number, context)
      if (context.signal.aborted) return undefined
      const now = await takeSnapshot(cluster, wanted)
      const found = rows(before, now, flags['sort'] as Order)
      if (once) return shown(found, now, flags)
      stdout.write(`\u001B[H\u001B[2J${await shown(found, now, flags)}\n`)
      before = now
    }
  },
}

async function shown(found: readonly Row[], { missing }: Snapshot, flags: FlagValues): Promise<string> {
  if (textOf(flags, 'output')) return printed({ items: found, missing }, flags)
  const notes = missing.map((each) => `not known: ${each}`)
  if (found.length === 0) return ['No virtual machine runs here.', ...notes].join('\n')
  return [table(found, flags['allNamespaces'] === true), ...notes].join('\n')
}

const pause = (seconds: number, { signal }: CommandContext) =>
  delay(seconds * 1000, undefined, { signal }).catch(() => undefined)

function seconds(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new CommandError(`--interval: ${text} is not a number of seconds`)
}

function order(text: string): Order {
  const known = orders.find((each) => each === text)
  if (!known) throw new CommandError(`--sort: ${text} is not known; use ${orders.join(', ')}`)
  return known
}
