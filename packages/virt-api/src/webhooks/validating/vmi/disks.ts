import type { CustomBlockSize, Disk, Volume } from '@kubevirt-ts/api'
import { invalid, notSupported, oneOf, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { isDnsLabel, repeated } from '../names.ts'
import type { Rule } from '../rule.ts'

type DiskRule = (disk: Disk, path: string, index: number, field: string) => Cause[]

const buses = ['virtio', 'sata', 'scsi', 'usb']
const caches = ['none', 'writethrough', 'writeback']
const ioModes = ['native', 'threads', 'default']
const errorPolicies = ['stop', 'ignore', 'report', 'enospace']
const pciAddress = /^[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$/

/** Some fields have a doubled path in the original, and clients match on it. */
const doubled = (field: string) => `${field}.domain.devices.disks.domain.devices.disks`

const targets: DiskRule = ({ disk, lun, cdrom }, path) =>
  when([disk, lun, cdrom].filter(Boolean).length > 1, () =>
    invalid(path, `${path} can only have a single target type defined; keep one of disk, lun, cdrom`),
  )

const name: DiskRule = (disk, path, index, field) =>
  when(!isDnsLabel(disk.name ?? ''), () =>
    invalid(
      `${doubled(field)}[${index}].name`,
      `${path}.name '${disk.name}': use at most 63 of a-z, 0-9 and -, with a letter or digit at both ends`,
    ),
  )

const bus: DiskRule = ({ disk, lun, cdrom }, path) =>
  Object.entries({ disk, lun, cdrom }).flatMap(([target, device]) => {
    const given = device?.bus
    if (!given) return []
    const at = `${path}.${target}.bus`
    if (given === 'ide') return [invalid(at, 'IDE bus is not supported; use sata')]
    if (!buses.includes(given)) return [invalid(at, `${at} is set with an unrecognized bus ${given}; ${oneOf(buses)}`)]
    if (given === 'virtio' && target === 'cdrom') {
      return [invalid(at, `Bus type ${given} is invalid for CD-ROM device; use sata or scsi`)]
    }
    return when(given === 'sata' && target === 'disk' && Boolean(disk?.readonly), () =>
      invalid(at, 'sata hard-disks do not support read-only.'),
    )
  })

const bootOrder: DiskRule = (disk, path) =>
  when(disk.bootOrder !== undefined && disk.bootOrder < 1, () =>
    invalid(`${path}.bootOrder`, `${path}.bootOrder must have a boot order > 0, if supplied`),
  )

const serial: DiskRule = (disk, path) => {
  if (!disk.serial) return []
  const at = `${path}.serial`
  if (disk.serial.length > 256) return [invalid(at, `${at} must be less than or equal to 256 in length, if specified`)]
  return when(!/^[A-Za-z0-9_.+-]+$/.test(disk.serial), () =>
    invalid(at, `${at} must be made up of the following characters [A-Za-z0-9_.+-], if specified`),
  )
}

const cache: DiskRule = (disk, path) =>
  when(Boolean(disk.cache) && !caches.includes(disk.cache!), () =>
    invalid(`${path}.cache`, `${path}.cache has invalid value ${disk.cache}; ${oneOf(caches)}`),
  )

const io: DiskRule = (disk, _path, index, field) =>
  when(Boolean(disk.io) && !ioModes.includes(disk.io!), () =>
    notSupported(`${doubled(field)}[${index}].io`, `Disk IO mode for ${disk.name} is not supported; ${oneOf(ioModes)}`),
  )

const errorPolicy: DiskRule = (disk, path) =>
  when(Boolean(disk.errorPolicy) && !errorPolicies.includes(disk.errorPolicy!), () =>
    invalid(
      `${path}.errorPolicy`,
      `${path}.errorPolicy has invalid value ${disk.errorPolicy}; ${oneOf(errorPolicies)}`,
    ),
  )

const address: DiskRule = ({ disk }, _path, index, field) => {
  if (!disk?.pciAddress) return []
  const at = `${doubled(field)}.disk[${index}].pciAddress`
  return [
    ...when(disk.bus !== 'virtio', () => invalid(at, 'Disk with pciAddress must be on the virtio bus')),
    ...when(!pciAddress.test(disk.pciAddress!), () =>
      invalid(at, `disk PCI address ${disk.pciAddress} is malformed; write it like 0000:04:10.0`),
    ),
  ]
}

/** A disk's target: the first of the three that is given. */
const targetOf = ({ disk, lun, cdrom }: Disk) => disk ?? lun ?? cdrom

const dedicatedIoThread: DiskRule = (disk, _path, index, field) =>
  when(Boolean(disk.dedicatedIOThread) && ![undefined, '', 'virtio'].includes(targetOf(disk)?.bus), () =>
    notSupported(`${doubled(field)}[${index}]`, 'IOThreads are only supported for disks on a virtio bus'),
  )

const powerOfTwo = (n: number) => n > 0 && Number.isInteger(Math.log2(n))

const blockSize: DiskRule = (disk, path) => {
  const { blockSize } = disk
  if (!blockSize) return []
  const at = `${path}.blockSize`
  const { custom, matchVolume } = blockSize
  if (custom && matchVolume && matchVolume.enabled !== false) {
    return [invalid(at, 'Block size matching can not be enabled together with a custom value; keep one of them')]
  }
  return custom ? customBlockSize(custom, `${at}.custom`, targetOf(disk)?.bus) : []
}

/** The first thing that is wrong with the sizes together; else each size by itself. */
function customBlockSize(sizes: CustomBlockSize, path: string, bus: string | undefined): Cause[] {
  const { logical = 0, physical = 0, discardGranularity } = sizes
  if (logical > physical) {
    return [
      invalid(
        `${path}.logical`,
        `Logical size ${logical} must be the same or less than the physical size of ${physical}`,
      ),
    ]
  }
  if (bus === 'sata' && logical !== 512) {
    return [invalid(`${path}.logical`, `Logical size ${logical} must be 512 for SATA bus type`)]
  }
  if (discardGranularity !== undefined && logical > 0 && discardGranularity % logical !== 0) {
    return [
      invalid(`${path}.discardGranularity`, `Discard granularity must be a multiple of the logical size ${logical}`),
    ]
  }
  return Object.entries({ logical, physical }).flatMap(([side, size]) =>
    when(size < 512 || size > 2_097_152 || !powerOfTwo(size), () =>
      invalid(`${path}.${side}`, `Provided size of ${size} is not a power of 2 between 512 and 2097152`),
    ),
  )
}

const diskRules: readonly DiskRule[] = [
  targets,
  name,
  bus,
  bootOrder,
  serial,
  cache,
  io,
  errorPolicy,
  address,
  dedicatedIoThread,
  blockSize,
]

export const disks: Rule = ({ spec, field }) =>
  (spec.domain.devices.disks ?? []).flatMap((disk, index) => {
    const path = `${field}.domain.devices.disks[${index}]`
    return diskRules.flatMap((rule) => rule(disk, path, index, field))
  })

export const diskNames: Rule = ({ spec, field }) => {
  const all = spec.domain.devices.disks ?? []
  return repeated(all, (disk) => disk.name).map((index) =>
    invalid(
      `${field}.domain.devices.disks[${index}].name`,
      `${field}.domain.devices.disks and ${field}.domain.devices.disks must not have the same Name: ${all[index]!.name}`,
    ),
  )
}

const isClaim = (volume: Volume) => Boolean(volume.persistentVolumeClaim || volume.dataVolume)

/** Each disk shows a volume; only a CD-ROM drive may be empty, to be filled later. */
export const diskVolumes: Rule = ({ spec, field, settings }) =>
  (spec.domain.devices.disks ?? []).flatMap((disk, index) => {
    const path = `${field}.domain.devices.disks[${index}]`
    const volume = spec.volumes?.find((each) => each.name === disk.name)
    if (!volume) {
      const mayBeEmpty = disk.cdrom !== undefined && settings.isEnabled('DeclarativeHotplugVolumes')
      return when(!mayBeEmpty, () =>
        invalid(`${path}.name`, `${path}.Name '${disk.name}' not found: add a volume of this name to ${field}.volumes`),
      )
    }
    return when(disk.lun !== undefined && !isClaim(volume), () =>
      invalid(`${path}.lun`, `${path}.lun can only be mapped to a DataVolume or PersistentVolumeClaim volume.`),
    )
  })

/** Places in the boot order are taken once, by a disk or by an interface. */
export const bootOrders: Rule = ({ spec, field }) => {
  const devices = spec.domain.devices
  const bootable = [
    ...(devices.disks ?? []).map(({ bootOrder: order }, index) => ({ order, path: `disks[${index}]` })),
    ...(devices.interfaces ?? []).map(({ bootOrder: order }, index) => ({
      order: order || undefined,
      path: `interfaces[${index}]`,
    })),
  ]
  return repeated(bootable, ({ order }) => order).map((index) => {
    const path = `${field}.domain.devices.${bootable[index]!.path}.bootOrder`
    return invalid(path, `Boot order for ${path} already set for a different device; give each a number of its own`)
  })
}

const ioThreadPolicies = ['shared', 'auto', 'supplementalPool']

export const ioThreads: Rule = ({ spec: { domain }, field }) => {
  const policy = domain.ioThreadsPolicy
  if (!policy) return []
  const path = `${field}.domain.ioThreadsPolicy`
  if (!ioThreadPolicies.includes(policy))
    return [invalid(path, `Invalid IOThreadsPolicy (${policy}); ${oneOf(ioThreadPolicies)}`)]
  return when(policy === 'supplementalPool' && !((domain.ioThreads?.supplementalPoolThreadCount ?? 0) >= 1), () =>
    invalid(
      `${field}.domain.ioThreads.count`,
      'the number of iothreads needs to be set and positive for the dedicated policy',
    ),
  )
}
