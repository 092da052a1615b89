import type {
  CloudInitConfigDriveSource,
  CloudInitNoCloudSource,
  ContainerDiskSource,
  Disk,
  Quantity,
  Volume,
} from '@kubevirt-ts/api'
import type { VmiPiece } from './piece.ts'

/** A volume without a disk. */
export function withVolume(volume: Volume): VmiPiece {
  return ({ spec }) => {
    spec.volumes = [...(spec.volumes ?? []), volume]
  }
}

/** A disk without a volume. */
export function withDisk(disk: Disk): VmiPiece {
  return ({ spec: { domain } }) => {
    domain.devices.disks = [...(domain.devices.disks ?? []), disk]
  }
}

/** A volume and its disk; on the virtio bus unless the disk says otherwise. */
export function withVolumeDisk(volume: Volume, disk: Partial<Disk> = { disk: { bus: 'virtio' } }): VmiPiece {
  return (vmi) => {
    withDisk({ name: volume.name, ...disk })(vmi)
    withVolume(volume)(vmi)
  }
}

export function withContainerDisk(name: string, image: string, more: Partial<ContainerDiskSource> = {}): VmiPiece {
  return withVolumeDisk({ name, containerDisk: { image, ...more } })
}

export function withEmptyDisk(name: string, capacity: Quantity): VmiPiece {
  return withVolumeDisk({ name, emptyDisk: { capacity } })
}

export function withPersistentVolumeClaim(name: string, claimName: string): VmiPiece {
  return withVolumeDisk({ name, persistentVolumeClaim: { claimName } })
}

/** `userData` is the text itself, or the whole source for secrets and network data. */
export function withCloudInitNoCloud(userData: string | CloudInitNoCloudSource, name = 'cloudinitdisk'): VmiPiece {
  return withVolumeDisk({ name, cloudInitNoCloud: typeof userData === 'string' ? { userData } : userData })
}

export function withCloudInitConfigDrive(
  userData: string | CloudInitConfigDriveSource,
  name = 'cloudinitdisk',
): VmiPiece {
  return withVolumeDisk({ name, cloudInitConfigDrive: typeof userData === 'string' ? { userData } : userData })
}
