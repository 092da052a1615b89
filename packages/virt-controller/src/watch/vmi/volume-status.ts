import type { PersistentVolumeClaim, VirtualMachineInstance, Volume, VolumeStatus } from '@kubevirt-ts/api'

/**
 * One entry per volume, in the order of their names. What the node agent wrote (target, size, checksums) is kept;
 * of claims the facts that the node needs to attach them are added.
 */
export function volumeStatuses(
  vmi: VirtualMachineInstance,
  claim: (name: string) => PersistentVolumeClaim | undefined,
): VolumeStatus[] | undefined {
  const known = new Map((vmi.status?.volumeStatus ?? []).map((status) => [status.name, status]))
  const statuses = (vmi.spec.volumes ?? []).map((volume) => volumeStatus(volume, known.get(volume.name), claim))
  if (statuses.length === 0) return vmi.status?.volumeStatus
  return statuses.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function volumeStatus(
  volume: Volume,
  known: VolumeStatus | undefined,
  claim: (name: string) => PersistentVolumeClaim | undefined,
): VolumeStatus {
  const status: VolumeStatus = known ?? { name: volume.name, target: '' }
  const name = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
  const found = name === undefined ? undefined : claim(name)
  if (name === undefined || found === undefined) return status
  return { ...status, persistentVolumeClaimInfo: { ...status.persistentVolumeClaimInfo, ...claimInfo(name, found) } }
}

function claimInfo(name: string, { spec, status }: PersistentVolumeClaim): VolumeStatus['persistentVolumeClaimInfo'] {
  return {
    claimName: name,
    ...(spec?.accessModes === undefined ? {} : { accessModes: spec.accessModes }),
    ...(spec?.volumeMode === undefined ? {} : { volumeMode: spec.volumeMode as 'Block' | 'Filesystem' }),
    ...(status?.capacity === undefined ? {} : { capacity: status.capacity }),
    ...(spec?.resources?.requests === undefined ? {} : { requests: spec.resources.requests }),
  }
}
