import { virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import type { MigrateOptions, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { StatusError } from '../status-error.ts'
import { decodeOptions } from './body.ts'
import type { RestParts, Target } from './parts.ts'
import { conflict, fetchVm, fetchVmi, vmKind } from './subjects.ts'

/** Asks for the migration of a VM's guest; a refusal by admission is a 500, as clients know it. */
export async function migrate({ client }: RestParts, target: Target, body: object): Promise<void> {
  const options = decodeOptions('MigrateOptions', body)
  await fetchVm(client, target)
  const vmi = await fetchVmi(client, target)
  if (vmi.status?.phase !== 'Running') throw conflict(vmKind, target.name, 'VM is not running')
  try {
    await client.create(virtualMachineInstanceMigrations, migrationOf(target, options), {
      dryRun: target.dryRun ?? false,
    })
  } catch (error) {
    throw new StatusError(500, `Internal error occurred: ${(error as Error).message}`, { cause: error })
  }
}

/** A migration of the named guest, to nodes that also have the added labels. */
export const migrationOf = (
  { namespace, name }: Target,
  { addedNodeSelector }: MigrateOptions,
): VirtualMachineInstanceMigration =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { generateName: 'kubevirt-migrate-vm-', namespace },
    spec: { vmiName: name, ...(addedNodeSelector && { addedNodeSelector }) },
  }) as VirtualMachineInstanceMigration
