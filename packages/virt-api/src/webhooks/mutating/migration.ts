import { finalizer, label } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceMigration } from '@kubevirt-ts/api'

/** A new migration as it is stored: found by its VMI's name, and held until its job is done. */
export function mutateNewMigration(given: VirtualMachineInstanceMigration): VirtualMachineInstanceMigration {
  const migration = structuredClone(given)
  const { metadata } = migration
  metadata.labels = { ...metadata.labels, [label.vmiName]: migration.spec?.vmiName ?? '' }
  const finalizers = metadata.finalizers ?? []
  if (!finalizers.includes(finalizer.migration)) metadata.finalizers = [...finalizers, finalizer.migration]
  return migration
}
