import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'
import { announced, dryRunFlag, dryRunOption, forceFlags, forcedGracePeriod } from './flags.ts'

export const stop: CommandDefinition = {
  name: 'stop',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Stop a virtual machine.',
  examples: [
    ["Stop a virtual machine called 'myvm':", 'stop myvm'],
    ['Stop it at once:', 'stop myvm --force --grace-period=0'],
  ],
  flags: [...forceFlags, dryRunFlag],
  run: async ({ cluster }, [name = ''], flags) => {
    const gracePeriod = forcedGracePeriod(flags)
    const options = { ...(gracePeriod !== undefined && { gracePeriod }), ...dryRunOption(flags) }
    await putSubresource(await cluster(), 'virtualmachines', name, 'stop', options).catch((error: Error) => {
      throw new CommandError(`Error stopping VirtualMachine ${error.message}`)
    })
    return announced(flags, `VM ${name} was scheduled to stop`)
  },
}
