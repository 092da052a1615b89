import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { deviceName, type DomainDisk } from '@kubevirt-ts/domain'
import { movedVolumes } from '@kubevirt-ts/vmispec'

/**
 * Disks of which the target has nothing but a beginning: what this node alone has and the guest may have changed. Those on
 * claims both nodes open; a second writer would be refused by QEMU's lock on the image. Those that go to other claims are
 * in neither of them.
 */
export function copiedDisks(vmi: VirtualMachineInstance, disks: readonly DomainDisk[]): readonly DomainDisk[] {
  const moved = movedVolumes(vmi)
  const shared = new Set((vmi.spec.volumes ?? []).filter(isShared).map(({ name }) => name))
  return disks.filter((disk) => {
    if (disk.readonly !== undefined || disk.shareable !== undefined) return false
    const name = deviceName(disk) ?? ''
    return moved.includes(name) || (disk.source?.$file !== undefined && !shared.has(name))
  })
}

const isShared = ({ persistentVolumeClaim, dataVolume, hostDisk }: Volume): boolean =>
  Boolean(persistentVolumeClaim ?? dataVolume ?? hostDisk)
