import { label, virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'
import { pairs, textOf, wholeNumber } from '../flags.ts'
import { announced, dryRunFlag, dryRunOption } from './flags.ts'
import { migrationsOf, waitForMove } from './migrate-wait.ts'

export const migrate: CommandDefinition = {
  name: 'migrate',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Migrate a virtual machine.',
  examples: [
    ["Migrate a virtual machine called 'myvm':", 'migrate myvm'],
    ['Migrate it to a node that also has these labels:', 'migrate myvm --addedNodeSelector zone=b,disk=fast'],
    ['Migrate it and show how far it is; exit code 1 and the reason when it fails:', 'migrate myvm --wait'],
    ['Give up waiting, not migrating, after a minute:', 'migrate myvm --wait --timeout 60'],
  ],
  flags: [
    { flags: '--addedNodeSelector <labels>', help: 'labels that the next node must have too, as key=value,…' },
    { flags: '--wait', help: 'show how far it is until it has ended', default: false },
    {
      flags: '--timeout <seconds>',
      help: 'how long --wait waits; the migration goes on after that; 0 is for ever',
      default: 0,
      parse: wholeNumber('--timeout'),
    },
    dryRunFlag,
  ],
  run: async (context, [name = ''], flags) => {
    const cluster = await context.cluster()
    const waits = flags['wait'] === true && flags['dryRun'] !== true
    const before = waits ? await migrationsOf(cluster, name) : new Set<string>()
    const selector = textOf(flags, 'addedNodeSelector')
    const options = { ...(selector && { addedNodeSelector: pairs(selector) }), ...dryRunOption(flags) }
    await putSubresource(cluster, 'virtualmachines', name, 'migrate', options).catch((error: Error) => {
      throw new CommandError(`Error migrating VirtualMachine ${error.message}`)
    })
    if (!waits) return announced(flags, `VM ${name} was scheduled to migrate`)
    return waitForMove(cluster, name, { before, timeoutMs: (flags['timeout'] as number) * 1000 }, context)
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
    const dryRun = flags['dryRun'] === true
    await client.delete(virtualMachineInstanceMigrations, { namespace, name }, { ...(dryRun && { dryRun }) })
    return announced(flags, `VM ${vm} was scheduled to migrate-cancel`)
  },
}
