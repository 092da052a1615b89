import type { Disk, VolumeStatus } from '@kubevirt-ts/api'

/**
 * The name of each disk in the guest. A disk that has one already keeps it, so that plugging in or out renames no
 * other; the others get the first free one of their bus: vda, vdb, … for virtio, sda, … for all else.
 */
export function assignTargets(disks: readonly Disk[], status: readonly VolumeStatus[]): ReadonlyMap<string, string> {
  const known = new Map(status.flatMap(({ name, target }) => (target ? [[name, target] as const] : [])))
  const targets = new Map<string, string>()
  const taken = new Set<string>()
  for (const disk of disks) {
    const target = known.get(disk.name)
    if (!target?.startsWith(prefixOf(disk)) || taken.has(target)) continue
    targets.set(disk.name, target)
    taken.add(target)
  }
  for (const disk of disks) {
    if (targets.has(disk.name)) continue
    const target = firstFree(prefixOf(disk), taken)
    targets.set(disk.name, target)
    taken.add(target)
  }
  return targets
}

function prefixOf({ disk, lun, cdrom }: Disk): string {
  return (disk ?? lun ?? cdrom)?.bus === 'virtio' ? 'vd' : 'sd'
}

function firstFree(prefix: string, taken: ReadonlySet<string>): string {
  for (let index = 0; ; index++) {
    const name = prefix + letters(index)
    if (!taken.has(name)) return name
  }
}

/** 0 is a, 25 is z, 26 is aa. */
function letters(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest > 0 ? letters(rest - 1) : '') + String.fromCharCode(97 + (index % 26))
}
