import type { Volume } from '@kubevirt-ts/api'
import { claimName, isHotplugVolume } from '@kubevirt-ts/vmispec'

/** A volume of a guest whose content can be moved to another claim: those that are plugged in and out are exchanged. */
export const isMovable = (volume: Volume): boolean =>
  Boolean(volume.persistentVolumeClaim ?? volume.dataVolume) && !isHotplugVolume(volume)

/** The volumes of the template that are on another claim than the guest's of their name. */
export function movableVolumes(of: readonly Volume[] | undefined, template: readonly Volume[]): Volume[] {
  return template.filter((volume) => {
    const before = of?.find(({ name }) => name === volume.name)
    if (before === undefined || !isMovable(before) || !isMovable(volume)) return false
    return claimName(before) !== claimName(volume)
  })
}
