import { virtualMachines } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'
import { announced, dryRunFlag, dryRunOption } from '../vm/flags.ts'

const vmWords = ['vm', 'vms', 'virtualmachine', 'virtualmachines']
const vmiWords = ['vmi', 'vmis', 'virtualmachineinstance', 'virtualmachineinstances']

/** The guest of a VM has the VM's name; a VM that does not exist is told as such. */
async function checkKind({ client, namespace }: Cluster, kind: string, name: string): Promise<void> {
  if (vmiWords.includes(kind)) return
  if (!vmWords.includes(kind)) throw new CommandError(`unsupported resource type ${kind}; use vm or vmi`)
  await client.get(virtualMachines, { namespace, name }).catch((error: Error) => {
    throw new CommandError(`Error getting VirtualMachine ${name}: ${error.message}`)
  })
}

function pauseCommand(verb: 'pause' | 'unpause', summary: string): CommandDefinition {
  return {
    name: verb,
    arguments: [
      ['kind', 'vm or vmi'],
      ['name', 'name of the object'],
    ],
    summary,
    examples: [[`${summary.replace('.', '')} called 'myvm':`, `${verb} vm myvm`]],
    flags: [dryRunFlag],
    run: async ({ cluster }, [kind = '', name = ''], flags) => {
      const connected = await cluster()
      await checkKind(connected, kind, name)
      const options = dryRunOption(flags)
      await putSubresource(connected, 'virtualmachineinstances', name, verb, options).catch((error: Error) => {
        throw new CommandError(`Error ${verb.replace(/e$/, '')}ing VirtualMachineInstance ${name}: ${error.message}`)
      })
      return announced(flags, `VMI ${name} was scheduled to ${verb}`)
    },
  }
}

export const pause = pauseCommand('pause', 'Pause a virtual machine.')
export const unpause = pauseCommand('unpause', 'Unpause a virtual machine.')
