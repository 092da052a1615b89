import type { Disk, VirtualMachineInstance, VirtualMachineInstanceSpec, Volume } from '@kubevirt-ts/api'
import { claimName, diskNamed, isHotplugVolume } from '@kubevirt-ts/vmispec'

/**
 * The guest's volumes and disks as the template declares them: hot-pluggable volumes that the template dropped go,
 * new ones come. One that changes its claim goes first, and comes once nothing of the old one is left.
 */
export function asDeclared(
  template: VirtualMachineInstanceSpec,
  { spec, status }: VirtualMachineInstance,
): { readonly volumes: Volume[]; readonly disks: Disk[] } {
  const declared = (template.volumes ?? []).filter(isPlugged)
  const volumes = spec.volumes ?? []
  const disks = spec.domain.devices.disks ?? []
  const stays = (volume: Volume): boolean => !isPlugged(volume) || declared.some((each) => isSame(each, volume))
  const gone = new Set(volumes.filter((volume) => !stays(volume)).map(({ name }) => name))
  const isLeaving = (name: string): boolean => status?.volumeStatus?.some((each) => each.name === name) ?? false
  const added = declared.filter(({ name }) => !volumes.some((each) => each.name === name) && !isLeaving(name))
  const isDrive = ({ name }: Disk): boolean => diskNamed(template, name)?.cdrom !== undefined
  const keptDisks = disks.filter((disk) => !gone.has(disk.name) || isDrive(disk))
  const addedDisks = added.flatMap(({ name }) => {
    const disk = diskNamed(template, name)
    return disk === undefined || keptDisks.some((each) => each.name === name) ? [] : [disk]
  })
  return { volumes: [...volumes.filter(stays), ...added], disks: [...keptDisks, ...addedDisks] }
}

/** A dump of the guest's memory comes and goes by requests, not by the template. */
const isPlugged = (volume: Volume): boolean => isHotplugVolume(volume) && volume.memoryDump === undefined

const isSame = (a: Volume, b: Volume): boolean => a.name === b.name && claimName(a) === claimName(b)
