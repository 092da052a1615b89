import type { PersistentVolumeClaim, PersistentVolumeClaimInfo } from '@kubevirt-ts/api'

/** What a VMI tells of a claim that it uses, for those who may not look at claims. */
export function claimInfo(name: string, { spec, status }: PersistentVolumeClaim): PersistentVolumeClaimInfo {
  return {
    claimName: name,
    ...(spec?.accessModes === undefined ? {} : { accessModes: spec.accessModes }),
    ...(spec?.volumeMode === undefined ? {} : { volumeMode: spec.volumeMode as 'Block' | 'Filesystem' }),
    ...(status?.capacity === undefined ? {} : { capacity: status.capacity }),
    ...(spec?.resources?.requests === undefined ? {} : { requests: spec.resources.requests }),
  }
}
