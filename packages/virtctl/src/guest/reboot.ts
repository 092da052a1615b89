import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'

function rebootCommand(name: string, subresource: string, doing: string, summary: string): CommandDefinition {
  return {
    name,
    arguments: [['vmi', 'name of the virtual machine instance']],
    summary,
    examples: [[`${summary.replace('.', '')} called 'myvmi':`, `${name} myvmi`]],
    run: async ({ cluster }, [vmi = '']) => {
      await putSubresource(await cluster(), 'virtualmachineinstances', vmi, subresource, {}).catch((error: Error) => {
        throw new CommandError(`Error ${doing} VirtualMachineInstance ${vmi}: ${error.message}`)
      })
      return `VMI ${vmi} was scheduled to ${name}`
    },
  }
}

export const softReboot = rebootCommand(
  'soft-reboot',
  'softreboot',
  'soft rebooting',
  'Soft reboot a virtual machine instance.',
)
export const reset = rebootCommand('reset', 'reset', 'resetting', 'Reset a virtual machine instance.')
