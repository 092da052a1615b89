import type { VirtualMachineInstance } from '@kubevirt-ts/api'

/** Names of the volumes whose content goes to other claims with the guest's next move. */
export function movedVolumes({ status }: VirtualMachineInstance): readonly string[] {
  return (status?.migratedVolumes ?? []).map(({ volumeName }) => volumeName)
}

/** Whether disks are copied when the guest moves: those of its node alone, and those that go to other claims. */
export function copiesDisks(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.migrationMethod === 'BlockMigration' || movedVolumes(vmi).length > 0
}

/** Whether all nodes may use the volume's claim at once, as the VMI's status tells of it; false where it tells nothing. */
export function isOnSharedClaim({ status }: VirtualMachineInstance, volume: string): boolean {
  const claim = status?.volumeStatus?.find(({ name }) => name === volume)?.persistentVolumeClaimInfo
  return (claim?.accessModes ?? []).includes('ReadWriteMany')
}
