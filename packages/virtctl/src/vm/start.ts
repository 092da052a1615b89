import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'
import { announced, dryRunFlag, dryRunOption } from './flags.ts'

export const start: CommandDefinition = {
  name: 'start',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Start a virtual machine.',
  examples: [
    ["Start a virtual machine called 'myvm':", 'start myvm'],
    ['Start it paused:', 'start myvm --paused'],
  ],
  flags: [{ flags: '--paused', help: 'start the guest in paused state', default: false }, dryRunFlag],
  run: async ({ cluster }, [name = ''], flags) => {
    const options = { ...(flags['paused'] === true && { paused: true }), ...dryRunOption(flags) }
    await putSubresource(await cluster(), 'virtualmachines', name, 'start', options).catch((error: Error) => {
      throw new CommandError(`Error starting VirtualMachine ${error.message}`)
    })
    return announced(flags, `VM ${name} was scheduled to start`)
  },
}
