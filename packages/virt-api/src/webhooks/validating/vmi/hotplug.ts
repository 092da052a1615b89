import { isDeepStrictEqual } from 'node:util'
import type { Disk, VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { invalid, when } from '../cause.ts'
import type { Cause } from '../cause.ts'

/** A volume that came, or may go, while the guest runs. */
const isHotplug = ({ persistentVolumeClaim, dataVolume, memoryDump }: Volume) =>
  Boolean(persistentVolumeClaim?.hotpluggable || dataVolume?.hotpluggable || memoryDump)

const byName = <T extends { readonly name: string }>(items: readonly T[]) =>
  new Map(items.map((each) => [each.name, each]))

const hotBuses = ['scsi', 'virtio']

interface Storage {
  readonly volumes: readonly Volume[]
  readonly disks: ReadonlyMap<string, Disk>
}

const storageOf = ({ spec }: VirtualMachineInstance): Storage => ({
  volumes: spec.volumes ?? [],
  disks: byName(spec.domain.devices.disks ?? []),
})

/**
 * What KubeVirt itself may change of a running guest's storage: volumes that can be plugged come and go, the others
 * and their disks stay, but for those that are being moved to other claims.
 */
export function storageKept(old: VirtualMachineInstance, next: VirtualMachineInstance): Cause[] {
  if (isDeepStrictEqual(old.spec, next.spec)) return []
  // A move that was taken back puts them on the claims from which they came.
  const moving = [old, next].flatMap(({ status }) => status?.migratedVolumes ?? [])
  const moved = new Set(moving.map(({ volumeName }) => volumeName))
  const [before, after] = [storageOf(old), storageOf(next)]
  return [...permanentKept(before, after, moved), ...pluggedWell(before, after, moved)]
}

const field = 'spec.domain.volumes'

function permanentKept(before: Storage, after: Storage, moved: ReadonlySet<string>): Cause[] {
  const old = byName(before.volumes.filter((each) => !isHotplug(each)))
  const next = after.volumes.filter((each) => !isHotplug(each))
  if (old.size !== next.length) return [invalid(field, 'Number of permanent volumes has changed')]
  return next.flatMap((volume) => {
    const { name } = volume
    const was = old.get(name)
    if (!was) return [invalid(field, `Permanent volume ${name}, not found`)]
    return [
      ...when(!moved.has(name) && !isDeepStrictEqual(was, volume), () =>
        invalid(field, `Permanent volume ${name}, changed`),
      ),
      ...when(!isDeepStrictEqual(before.disks.get(name), after.disks.get(name)), () =>
        invalid('spec.domain.disks', `Permanent disk ${name}, changed`),
      ),
    ]
  })
}

function pluggedWell(before: Storage, after: Storage, moved: ReadonlySet<string>): Cause[] {
  const old = byName(before.volumes)
  return after.volumes.filter(isHotplug).flatMap((volume) => {
    const { name } = volume
    const was = old.get(name)
    if (!was) return volume.memoryDump ? [] : pluggable(name, before, after)
    return [
      ...when(!moved.has(name) && !isDeepStrictEqual(was, volume), () =>
        invalid(field, `hotplug volume ${name}, changed`),
      ),
      ...when(!isDeepStrictEqual(before.disks.get(name), after.disks.get(name)), () =>
        invalid('spec.domain.disks', `hotplug disk ${name}, changed`),
      ),
    ]
  })
}

/** A new volume has a disk on a bus that takes it; or a drive that was there gets it put in. */
function pluggable(name: string, before: Storage, after: Storage): Cause[] {
  const disk = after.disks.get(name)
  const at = 'spec.domain.disks'
  if (!disk) return [invalid(at, `Disk ${name} does not exist`)]
  if (disk.cdrom && isDeepStrictEqual(before.disks.get(name), disk)) return []
  const target = disk.disk ?? disk.lun
  if (!target) return [invalid(at, `Disk ${name} requires diskDevice of type 'disk' or 'lun' to be hotplugged.`)]
  const buses = disk.lun ? ['scsi'] : hotBuses
  return when(!buses.includes(target.bus ?? ''), () =>
    invalid(at, `hotplugged Disk ${name} must use the bus ${buses.join(' or ')}; it uses ${target.bus || 'none'}`),
  )
}
