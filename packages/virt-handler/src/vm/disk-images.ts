import { type KubeVirtConfiguration, parseQuantity, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { isHotplugVolume } from '@kubevirt-ts/vmispec'
import { basename } from 'node:path'
import type { ImageSize } from '../host/mounts/virt-chroot.ts'
import { imageSize } from './image-size.ts'

/** An image in a volume of the launcher's pod. */
export interface DiskImage {
  readonly volume: string
  /** In the launcher's container. */
  readonly path: string
  /** What it is made as where there is none; size 0: it must be there. */
  readonly size: ImageSize
}

// In the launcher's image /var/run is a link to /run, and no link is followed.
const folder = '/run/kubevirt-private/vmi-disks'

/** The images of disks on claims with a filesystem, and on the host, which the guest's user must own. */
export function diskImages(vmi: VirtualMachineInstance, configuration: KubeVirtConfiguration): DiskImage[] {
  return (vmi.spec.volumes ?? []).flatMap((volume) => {
    const { name, hostDisk } = volume
    if (hostDisk !== undefined) {
      const creates = hostDisk.type === 'DiskOrCreate' && hostDisk.capacity !== undefined
      const bytes = creates ? parseQuantity(hostDisk.capacity!) : 0n
      const least = (bytes * BigInt(100 - tolerated(configuration))) / 100n
      return [{ volume: name, path: `${folder}/${name}/${basename(hostDisk.path)}`, size: { size: bytes, least } }]
    }
    if (!(volume.persistentVolumeClaim ?? volume.dataVolume) || isHotplugVolume(volume)) return []
    const claim = vmi.status?.volumeStatus?.find((each) => each.name === name)?.persistentVolumeClaimInfo
    if (claim?.volumeMode === 'Block' || isReadOnly(volume)) return []
    // What moves here from another claim is as large as it was there.
    const moved = vmi.status?.migratedVolumes?.find(({ volumeName }) => volumeName === name)?.sourcePVCInfo
    const size = imageSize((moved ?? claim)?.capacity?.storage, configuration)
    return [{ volume: name, path: `${folder}/${name}/disk.img`, size }]
  })
}

const isReadOnly = ({ persistentVolumeClaim }: { persistentVolumeClaim?: { readOnly?: boolean } }): boolean =>
  persistentVolumeClaim?.readOnly === true

const tolerated = ({ developerConfiguration }: KubeVirtConfiguration): number =>
  developerConfiguration?.pvcTolerateLessSpaceUpToPercent ?? 10

/** The devices of claims in block mode, as the launcher's container has them. */
export function blockDevices({ spec, status }: VirtualMachineInstance): string[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    if (!(volume.persistentVolumeClaim ?? volume.dataVolume ?? volume.ephemeral) || isHotplugVolume(volume)) return []
    const claim = status?.volumeStatus?.find(({ name }) => name === volume.name)?.persistentVolumeClaimInfo
    return claim?.volumeMode === 'Block' ? [`/dev/${volume.name}`] : []
  })
}
