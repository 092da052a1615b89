import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { getSubresource } from '../client/subresource.ts'
import { outputFlag, printed } from '../output.ts'

function infoCommand(name: string, subresource: string, what: string): CommandDefinition {
  return {
    name,
    arguments: [['vmi', 'name of the virtual machine instance']],
    summary: `Return ${what} from the guest agent.`,
    examples: [[`Get ${what} of 'myvmi':`, `${name} myvmi`]],
    flags: [outputFlag('json')],
    run: async ({ cluster }, [vmi = ''], flags) => {
      const info = await getSubresource(await cluster(), 'virtualmachineinstances', vmi, subresource).catch(
        (error: Error) => {
          throw new CommandError(`Error getting ${what} of VirtualMachineInstance ${vmi}: ${error.message}`)
        },
      )
      return printed(info, flags)
    },
  }
}

export const guestOsInfo = infoCommand('guestosinfo', 'guestosinfo', 'information about the operating system')
export const userList = infoCommand('userlist', 'userlist', 'the list of logged in users')
export const fsList = infoCommand('fslist', 'filesystemlist', 'the list of file systems')
