import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { claimName, isHotplugVolume } from '@kubevirt-ts/vmispec'

/** The guest's own volumes on claims, each with its claim. */
export function ownClaims({ spec }: VirtualMachineInstance): ReadonlyMap<string, string> {
  const own = (spec.volumes ?? []).filter((volume) => !isHotplugVolume(volume) && volume.ephemeral === undefined)
  return new Map(own.flatMap((volume) => [[volume.name, claimName(volume) ?? '']] as const).filter(([, name]) => name))
}

/**
 * Whether the pod has the claims that the guest is to use: one that was made before they changed leads to other disks,
 * and a guest that moved there would find them empty or write to those that it left.
 */
export function hasClaims({ spec }: Pod, claims: ReadonlyMap<string, string>): boolean {
  const given = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume.persistentVolumeClaim?.claimName]))
  return [...claims].every(([name, claim]) => given.get(name) === claim)
}
