import { virtualMachineInstances } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { neededResource } from '../client/kind.ts'
import { putSubresource } from '../client/subresource.ts'
import { announced, dryRunFlag, dryRunOption } from './flags.ts'

export const evacuateCancel: CommandDefinition = {
  name: 'evacuate-cancel',
  arguments: [
    ['kind', 'vm or vmi'],
    ['name', 'name of the object'],
  ],
  summary: 'Cancel evacuation of a virtual machine.',
  examples: [["Let 'myvm' stay on its node after all:", 'evacuate-cancel vm myvm']],
  flags: [dryRunFlag],
  run: async ({ cluster }, [kind = '', name = ''], flags) => {
    const resource = neededResource(kind)
    const connected = await cluster()
    const { client, namespace } = connected
    const { status } = await client.get(virtualMachineInstances, { namespace, name }).catch((error: Error) => {
      throw new CommandError(`Error getting VirtualMachineInstance ${name}: ${error.message}`)
    })
    const options = { evacuationNodeName: status?.nodeName, ...dryRunOption(flags) }
    await putSubresource(connected, resource, name, 'evacuate/cancel', options).catch((error: Error) => {
      throw new CommandError(`Error cancelling evacuation of ${name}: ${error.message}`)
    })
    return announced(flags, `${kind.toUpperCase()} ${name} was scheduled to evacuate-cancel`)
  },
}
