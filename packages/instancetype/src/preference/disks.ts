import type { Disk, DomainSpec, VirtualMachinePreferenceSpec } from '@kubevirt-ts/api'
import { fill } from '../draft.ts'

type Wishes = NonNullable<VirtualMachinePreferenceSpec['devices']>

/** Buses of disks, CD-ROMs and LUNs, and how disks are read and written. */
export function applyDisks({ devices }: DomainSpec, { devices: wishes }: VirtualMachinePreferenceSpec): void {
  if (wishes === undefined) return
  for (const disk of devices.disks ?? []) applyDisk(disk, wishes)
}

function applyDisk(disk: Disk, wishes: Wishes): void {
  if (disk.cdrom !== undefined) fill(disk.cdrom, { bus: wishes.preferredCdromBus } as typeof disk.cdrom)
  if (disk.lun !== undefined) fill(disk.lun, { bus: wishes.preferredLunBus } as typeof disk.lun)
  if (disk.cdrom !== undefined || disk.lun !== undefined) return
  const target = { ...disk.disk }
  fill(target, { bus: wishes.preferredDiskBus } as typeof target)
  if (Object.keys(target).length > 0 || disk.disk !== undefined) disk.disk = target
  fill(disk, {
    blockSize: wishes.preferredDiskBlockSize,
    cache: wishes.preferredDiskCache,
    io: wishes.preferredDiskIO,
  })
  // A thread of its own is possible on virtio alone.
  if (target.bus === 'virtio') fill(disk, { dedicatedIOThread: wishes.preferredDiskDedicatedIoThread })
}
