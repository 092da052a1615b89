import type { Launch } from './launch.ts'

/** Labels of the claims whose disks ask for SCSI persistent reservations: two such pods on one node would collide. */
export function reservationLabels({ vmi, context }: Launch): string[] {
  const reserved = new Set(
    (vmi.spec.domain.devices.disks ?? []).filter(({ lun }) => lun?.reservation).map(({ name }) => name),
  )
  return (vmi.spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, dataVolume }) => {
    const claimName = persistentVolumeClaim?.claimName ?? dataVolume?.name
    const claim = claimName === undefined || !reserved.has(name) ? undefined : context.claim(claimName)
    return claim === undefined ? [] : [`pr.kubevirt.io/${claim.metadata.uid}`]
  })
}
