import type { CommandDefinition } from '../command.ts'
import { textOf } from '../flags.ts'
import { printed } from '../output.ts'
import { gather } from './gather.ts'
import { report } from './report.ts'
import { text } from './text.ts'

export const why: CommandDefinition = {
  name: 'why',
  arguments: [['name', 'name of the virtual machine, or of an instance without one']],
  summary: 'Say why a virtual machine is not running, not ready or can not migrate.',
  examples: [
    ["What stands in the way of 'myvm', and the commands that would cure it:", 'why myvm'],
    ['For a script:', 'why myvm -o json'],
  ],
  flags: [{ flags: '-o, --output <form>', help: 'json or yaml; one screen for people unless told' }],
  run: async ({ cluster }, [name = ''], flags) => {
    const now = new Date()
    const found = report(await gather(await cluster(), name, now))
    return textOf(flags, 'output') ? printed(found, flags) : text(found, now)
  },
}
