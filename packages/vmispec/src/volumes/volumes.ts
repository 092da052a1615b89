import type { ContainerDiskSource, Disk, Filesystem, VirtualMachineInstanceSpec, Volume } from '@kubevirt-ts/api'

/** A container disk with its place in `spec.volumes`, which names its socket and its mount point. */
export interface ContainerDisk {
  readonly name: string
  readonly index: number
  readonly source: ContainerDiskSource
}

export function containerDisks(spec: VirtualMachineInstanceSpec): ContainerDisk[] {
  return (spec.volumes ?? []).flatMap(({ name, containerDisk }, index) =>
    containerDisk ? [{ name, index, source: containerDisk }] : [],
  )
}

export function volumeNamed(spec: VirtualMachineInstanceSpec, name: string): Volume | undefined {
  return spec.volumes?.find((volume) => volume.name === name)
}

export function diskNamed(spec: VirtualMachineInstanceSpec, name: string): Disk | undefined {
  return spec.domain.devices.disks?.find((disk) => disk.name === name)
}

export function filesystemNamed(spec: VirtualMachineInstanceSpec, name: string): Filesystem | undefined {
  return spec.domain.devices.filesystems?.find((filesystem) => filesystem.name === name)
}

/** Whether a disk or a filesystem shows the volume to the guest. */
export function isAttached(spec: VirtualMachineInstanceSpec, volume: Volume): boolean {
  return diskNamed(spec, volume.name) !== undefined || filesystemNamed(spec, volume.name) !== undefined
}

/** Pull policy of an image whose spec names none: Always for `:latest` or no tag, else IfNotPresent. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  if (image.includes('@')) return 'IfNotPresent'
  const tag = /:([^/:]+)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent'
}
