import { label, virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'
import { pairs, textOf } from '../flags.ts'
import { announced, dryRunFlag, dryRunOption } from './flags.ts'

export const migrate: CommandDefinition = {
  name: 'migrate',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Migrate a virtual machine.',
  examples: [
    ["Migrate a virtual machine called 'myvm':", 'migrate myvm'],
    ['Migrate it to a node that also has these labels:', 'migrate myvm --addedNodeSelector zone=b,disk=fast'],
  ],
  flags: [
    { flags: '--addedNodeSelector <labels>', help: 'labels that the next node must have too, as key=value,…' },
    dryRunFlag,
  ],
  run: async ({ cluster }, [name = ''], flags) => {
    const selector = textOf(flags, 'addedNodeSelector')
    const options = { ...(selector && { addedNodeSelector: pairs(selector) }), ...dryRunOption(flags) }
    await putSubresource(await cluster(), 'virtualmachines', name, 'migrate', options).catch((error: Error) => {
      throw new CommandError(`Error migrating VirtualMachine ${error.message}`)
    })
    return announced(flags, `VM ${name} was scheduled to migrate`)
  },
}

export const migrateCancel: CommandDefinition = {
  name: 'migrate-cancel',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Cancel migration of a virtual machine.',
  examples: [["Cancel the migration of a virtual machine called 'myvm':", 'migrate-cancel myvm']],
  flags: [dryRunFlag],
  run: async ({ cluster }, [vm = ''], flags) => {
    const { client, namespace } = await cluster()
    const labelSelector = `${label.vmiName}=${vm}`
    const { items } = await client.list(virtualMachineInstanceMigrations, { namespace, labelSelector })
    const migration = items.find(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    if (!migration) throw new CommandError(`Found no migration to cancel for ${vm}`)
    const { name } = migration.metadata
    if (flags['dryRun'] !== true) await client.delete(virtualMachineInstanceMigrations, { namespace, name })
    return announced(flags, `VM ${vm} was scheduled to migrate-cancel`)
  },
}
