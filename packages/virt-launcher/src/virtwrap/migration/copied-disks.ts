import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { deviceName, type DomainDisk } from '@kubevirt-ts/domain'

/**
 * Disks of which the target has nothing but a beginning: what this node alone has and the guest may have changed. Those on
 * claims both nodes open; a second writer would be refused by QEMU's lock on the image.
 */
export function copiedDisks({ spec }: VirtualMachineInstance, disks: readonly DomainDisk[]): readonly DomainDisk[] {
  const shared = new Set((spec.volumes ?? []).filter(isShared).map(({ name }) => name))
  return disks.filter(
    (disk) =>
      disk.readonly === undefined &&
      disk.shareable === undefined &&
      disk.source?.$file !== undefined &&
      !shared.has(deviceName(disk) ?? ''),
  )
}

const isShared = ({ persistentVolumeClaim, dataVolume, hostDisk }: Volume): boolean =>
  Boolean(persistentVolumeClaim ?? dataVolume ?? hostDisk)
