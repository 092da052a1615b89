import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { textOf, wholeNumber } from '../flags.ts'
import { printed } from '../output.ts'
import { apply } from './apply.ts'
import { gather } from './gather.ts'
import { planOf } from './plan.ts'
import { text, verdictOf } from './text.ts'

export const drainPlan: CommandDefinition = {
  name: 'drain-plan',
  arguments: [['node', 'name of the node that is to be emptied']],
  summary: 'Say what a drain of a node does to its virtual machines, before anything moves.',
  examples: [
    ['What becomes of each guest on a node; exit code 1 when one is blocked:', 'drain-plan node-1'],
    ['For a script:', 'drain-plan node-1 -o json'],
    ['Do it: cordon the node and evict all guests that are not blocked:', 'drain-plan node-1 --apply'],
    ['Give up watching after ten minutes:', 'drain-plan node-1 --apply --timeout 600'],
  ],
  flags: [
    { flags: '-o, --output <form>', help: 'json or yaml; a table unless told' },
    { flags: '--apply', help: 'cordon the node, evict its guests and tell how it goes', default: false },
    {
      flags: '--timeout <seconds>',
      help: 'how long --apply waits for the guests to leave; 0 is for ever',
      default: 0,
      parse: wholeNumber('--timeout'),
    },
  ],
  run: async (context, [name = ''], flags) => {
    const cluster = await context.cluster()
    const plan = planOf(await gather(cluster, name))
    const { stdout } = context.terminal
    stdout.write(`${textOf(flags, 'output') ? await printed(plan, flags) : text(plan)}\n`)
    if (flags['apply'] === true) {
      // With data on the standard output, what happens is told beside it.
      const told = textOf(flags, 'output') ? context.terminal.stderr : stdout
      await apply(plan, cluster, { timeoutMs: (flags['timeout'] as number) * 1000, told, signal: context.signal })
    }
    if (plan.blocked > 0) throw new CommandError(verdictOf(plan))
    return undefined
  },
}
