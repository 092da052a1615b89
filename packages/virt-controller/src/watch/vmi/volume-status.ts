import type { VirtualMachineInstance, Volume, VolumeStatus } from '@kubevirt-ts/api'
import { claimName, hotplugVolumes } from '@kubevirt-ts/vmispec'
import { pluggedStatus, unpluggedStatus } from '../attachments/volume-status.ts'
import { claimInfo } from '../storage/claim-info.ts'
import type { Seen } from './seen.ts'

/**
 * One entry per volume, in the order of their names. What the node agent wrote (target, size, checksums) is kept; of
 * claims the facts that the node needs to attach them are added. Volumes that left a running guest stay as long as
 * something still holds them.
 */
export function volumeStatuses(vmi: VirtualMachineInstance, seen: Seen): VolumeStatus[] | undefined {
  const known = new Map((vmi.status?.volumeStatus ?? []).map((status) => [status.name, status]))
  const before = (name: string): VolumeStatus => known.get(name) ?? { name, target: '' }
  const plugged = hotplugVolumes(vmi.spec)
  const isPlugged = ({ name }: Volume): boolean => plugged.some((each) => each.name === name)
  const statuses = [
    ...(vmi.spec.volumes ?? [])
      .filter((volume) => !isPlugged(volume))
      .map((volume) => ({
        claim: claimName(volume),
        status: before(volume.name),
      })),
    ...plugged.map((volume) => ({
      claim: volume.claimName,
      status: withDump(pluggedStatus(volume, before(volume.name), seen), volume.claimName, vmi),
    })),
  ].map(({ claim, status }) => withClaim(status, claim, seen))
  const present = new Set(statuses.map(({ name }) => name))
  const leaving = [...known.values()].flatMap((status) => {
    if (present.has(status.name) || status.hotplugVolume === undefined) return []
    return unpluggedStatus(status, seen) ?? []
  })
  const all = [...statuses, ...leaving]
  if (all.length === 0) return known.size === 0 ? vmi.status?.volumeStatus : []
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A volume that a memory dump goes to says so from the start. */
function withDump(status: VolumeStatus, claim: string, { spec }: VirtualMachineInstance): VolumeStatus {
  const isDump = spec.volumes?.some(({ name, memoryDump }) => name === status.name && memoryDump !== undefined)
  if (isDump !== true || status.memoryDumpVolume !== undefined) return status
  return { ...status, memoryDumpVolume: { claimName: claim } }
}

function withClaim(status: VolumeStatus, name: string | undefined, { claim }: Pick<Seen, 'claim'>): VolumeStatus {
  const found = name === undefined ? undefined : claim(name)
  if (name === undefined || found === undefined) return status
  return { ...status, persistentVolumeClaimInfo: { ...status.persistentVolumeClaimInfo, ...claimInfo(name, found) } }
}
