import type { Disk } from '@kubevirt-ts/api'
import type { DomainDisk } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service/error'
import { vcpus, volumeNamed } from '@kubevirt-ts/vmispec'
import type { Configurator, Guest } from '../configurator.ts'
import { needsIommu } from '../compute/launch-security.ts'
import { pciAddress } from '../pci-address.ts'
import { assignTargets } from './targets.ts'
import { volumeSource } from './volume-source.ts'
import type { VolumeSource } from './volume-source.ts'

/** The guest's disks, CD-ROMs and LUNs, in the order of the spec. */
export const disks: Configurator = (domain, guest) => {
  const { spec, status } = guest.vmi
  const listed = spec.domain.devices.disks ?? []
  const targets = assignTargets(listed, status?.volumeStatus ?? [])
  const converted = listed.map((disk) => {
    const volume = volumeNamed(spec, disk.name)
    if (!volume && !disk.cdrom)
      throw new VirtError('VolumeMissing', `disk ${disk.name} of ${guest.vmi.metadata.name} has no volume of its name`)
    return convert(disk, volume ? volumeSource(volume, guest) : emptyDrive, targets.get(disk.name)!, guest)
  })
  if (converted.length > 0) domain.devices.disk = converted
}

/** A CD-ROM drive into which nothing is put yet. */
const emptyDrive: VolumeSource = { type: 'block', source: {}, format: 'raw', discard: 'always' }

type Kind = { readonly device: 'disk' | 'cdrom' | 'lun'; readonly bus: string; readonly readonly: boolean }

function kindOf({ disk, lun, cdrom }: Disk): Kind {
  if (cdrom) return { device: 'cdrom', bus: cdrom.bus ?? 'sata', readonly: cdrom.readonly ?? true }
  if (lun) return { device: 'lun', bus: lun.bus ?? 'scsi', readonly: lun.readonly ?? false }
  return { device: 'disk', bus: disk?.bus ?? 'sata', readonly: disk?.readonly ?? false }
}

function convert(disk: Disk, from: VolumeSource, target: string, guest: Guest): DomainDisk {
  const { vmi, context, arch } = guest
  const kind = kindOf(disk)
  const virtio = kind.bus === 'virtio'
  const shareable = kind.device === 'disk' && disk.shareable
  const queues = virtio && vmi.spec.domain.devices.blockMultiQueue ? String(vcpus(vmi.spec)) : undefined
  const discards = from.discard === 'always' || (from.discard === 'not on a cdrom' && kind.device !== 'cdrom')
  return {
    $type: from.type,
    $device: kind.device,
    $model:
      virtio && kind.device !== 'lun'
        ? arch.virtioModel(Boolean(vmi.spec.domain.devices.useVirtioTransitional))
        : undefined,
    source: { ...from.source, reservations: disk.lun?.reservation ? reservations : undefined },
    target: {
      $dev: target,
      $bus: kind.bus,
      $tray: kind.device === 'cdrom' ? (disk.cdrom?.tray ?? 'closed') : undefined,
    },
    serial: kind.device === 'disk' ? disk.serial : undefined,
    driver: {
      $cache: shareable ? 'none' : disk.cache,
      $error_policy: disk.errorPolicy ?? 'stop',
      $io: disk.io,
      $name: 'qemu',
      $type: from.format,
      $queues: queues,
      $discard: discards && !context.preallocatedVolumes.includes(disk.name) ? 'unmap' : undefined,
      $iommu: virtio && needsIommu(vmi) ? 'on' : undefined,
    },
    readonly: kind.readonly || from.readonly ? {} : undefined,
    shareable: shareable ? {} : undefined,
    alias: { $name: `ua-${disk.name}` },
    backingStore: from.backingStore,
    boot: disk.bootOrder === undefined ? undefined : { $order: String(disk.bootOrder) },
    blockio: blockSize(disk),
    address: addressOf(disk, kind, target),
  }
}

const reservations = {
  $managed: 'no',
  $migration: 'yes',
  source: { $type: 'unix', $path: '/var/run/kubevirt/daemons/pr/pr-helper.sock', $mode: 'client' },
}

function blockSize({ blockSize }: Disk): DomainDisk['blockio'] {
  const custom = blockSize?.custom
  if (!custom) return undefined
  const text = (value: number | undefined) => (value === undefined ? undefined : String(value))
  return {
    $logical_block_size: text(custom.logical),
    $physical_block_size: text(custom.physical),
    $discard_granularity: text(custom.discardGranularity),
  }
}

function addressOf(disk: Disk, { device, bus }: Kind, target: string): DomainDisk['address'] {
  if (disk.disk?.pciAddress) return pciAddress(disk.disk.pciAddress)
  if (bus !== 'scsi' || device === 'cdrom') return undefined
  return { $type: 'drive', $controller: '0', $bus: '0', $unit: String(unitOf(target)) }
}

/** `sda` is unit 0, `sdz` 25, `sdaa` 26. */
function unitOf(target: string): number {
  const letters = target.slice(2)
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 96, 0) - 1
}
