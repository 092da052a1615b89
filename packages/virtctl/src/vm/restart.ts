import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'
import { announced, dryRunFlag, dryRunOption, forceFlags, forcedGracePeriod } from './flags.ts'

export const restart: CommandDefinition = {
  name: 'restart',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Restart a virtual machine.',
  examples: [
    ["Restart a virtual machine called 'myvm':", 'restart myvm'],
    ['Restart it at once:', 'restart myvm --force --grace-period=0'],
  ],
  flags: [...forceFlags, dryRunFlag],
  run: async ({ cluster }, [name = ''], flags) => {
    const gracePeriodSeconds = forcedGracePeriod(flags)
    const options = { ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }), ...dryRunOption(flags) }
    await putSubresource(await cluster(), 'virtualmachines', name, 'restart', options).catch((error: Error) => {
      throw new CommandError(`Error restarting VirtualMachine ${error.message}`)
    })
    return announced(flags, `VM ${name} was scheduled to restart`)
  },
}
