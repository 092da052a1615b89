import { basename } from 'node:path'
import type { Volume } from '@kubevirt-ts/api'
import type { DiskSource, DomainDisk } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service/error'
import { containerDisks } from '@kubevirt-ts/vmispec'
import { metricsDisk } from '../../downward-metrics/places.ts'
import type { Guest } from '../configurator.ts'

/** Where a disk's bytes are. */
export type VolumeSource = {
  readonly type: 'file' | 'block'
  readonly source: DiskSource
  readonly format: 'raw' | 'qcow2'
  readonly backingStore?: DomainDisk['backingStore']
  /** Whether space that the guest frees is freed on the host; images made once by the launcher have none to free. */
  readonly discard: 'always' | 'not on a cdrom' | 'never'
  readonly readonly?: boolean
}

/** The source of each kind of volume. Throws for a kind that has no disk. */
export function volumeSource(volume: Volume, guest: Guest): VolumeSource {
  const { paths } = guest.context
  if (volume.containerDisk) return overlay(volume.name, containerDiskBacking(volume.name, guest), guest)
  if (volume.ephemeral) return overlay(volume.name, { format: 'raw', ...claimSource(volume.name, guest) }, guest)
  if (volume.emptyDisk) return { ...file(`${paths.emptyDisks}/${volume.name}.qcow2`), format: 'qcow2' }
  if (volume.persistentVolumeClaim ?? volume.dataVolume) return claim(volume, guest)
  if (volume.hostDisk) return made(`${paths.vmiDisks}/${volume.name}/${basename(volume.hostDisk.path)}`)
  if (volume.cloudInitNoCloud) return made(`${paths.cloudInit}/noCloud.iso`)
  if (volume.cloudInitConfigDrive) return made(`${paths.cloudInit}/configdrive.iso`)
  if (volume.configMap) return made(`${paths.private}/config-map-disks/${volume.name}.iso`)
  if (volume.secret) return made(`${paths.private}/secret-disks/${volume.name}.iso`)
  if (volume.downwardAPI) return made(`${paths.private}/downwardapi-disks/${volume.name}.iso`)
  if (volume.serviceAccount) return made(`${paths.private}/service-account-disk/service-account.iso`)
  if (volume.sysprep) return made(`${paths.private}/sysprep-disks/${volume.name}.iso`)
  if (volume.downwardMetrics) return { ...file(metricsDisk(paths)), discard: 'never', readonly: true }
  throw new VirtError(
    'VolumeWithoutDisk',
    `volume ${volume.name} of ${guest.vmi.metadata.name} is of a kind that cannot be a disk`,
  )
}

function file(path: string): VolumeSource {
  return { type: 'file', source: { $file: path }, format: 'raw', discard: 'always' }
}

function made(path: string): VolumeSource {
  return { ...file(path), discard: 'not on a cdrom' }
}

function claim(volume: Volume, guest: Guest): VolumeSource {
  const hotplugged = volume.persistentVolumeClaim?.hotpluggable ?? volume.dataVolume?.hotpluggable
  if (hotplugged) {
    const path = `${guest.context.paths.hotplugDisks}/${volume.name}`
    if (guest.context.blockVolumes.has(volume.name))
      return { type: 'block', source: { $dev: path }, format: 'raw', discard: 'always' }
    return file(`${path}.img`)
  }
  return { ...claimSource(volume.name, guest), format: 'raw', discard: 'always' }
}

function claimSource(name: string, { context }: Guest): Pick<VolumeSource, 'type' | 'source'> {
  if (context.blockVolumes.has(name)) return { type: 'block', source: { $dev: `/dev/${name}`, $name: name } }
  return { type: 'file', source: { $file: `${context.paths.vmiDisks}/${name}/disk.img` } }
}

type Backing = Pick<VolumeSource, 'type' | 'source'> & { readonly format: string }

/** What the guest writes goes to a file of its own, which ends with the pod. */
function overlay(name: string, backing: Backing, { context }: Guest): VolumeSource {
  return {
    ...file(`${context.paths.ephemeralDisks}/disk-data/${name}/disk.qcow2`),
    format: 'qcow2',
    backingStore: {
      $type: backing.type,
      format: { $type: backing.format },
      source: backing.source,
    },
  }
}

function containerDiskBacking(name: string, { vmi, context }: Guest): Backing {
  const { index } = containerDisks(vmi.spec).find((disk) => disk.name === name)!
  const format = context.disksInfo[name]?.format
  if (format !== 'raw' && format !== 'qcow2')
    throw new VirtError('ImageFormatUnknown', `the image of volume ${name} is ${format ?? 'unknown'}, not raw or qcow2`)
  return { type: 'file', source: { $file: `${context.paths.containerDisks}/disk_${index}.img` }, format }
}
