import type {
  CloudInitConfigDriveSource,
  CloudInitNoCloudSource,
  VirtualMachineInstanceSpec,
  Volume,
} from '@kubevirt-ts/api'

export type CloudInitSource = CloudInitNoCloudSource | CloudInitConfigDriveSource

export function cloudInitSource(volume: Volume): CloudInitSource | undefined {
  return volume.cloudInitNoCloud ?? volume.cloudInitConfigDrive
}

/** Name of the claim behind a volume: a PVC's, a DataVolume's (which has a claim of its name), or an ephemeral one's. */
export function claimName(volume: Volume): string | undefined {
  return (
    volume.persistentVolumeClaim?.claimName ??
    volume.dataVolume?.name ??
    volume.ephemeral?.persistentVolumeClaim?.claimName ??
    volume.memoryDump?.claimName
  )
}

/** Attached to a running guest, through a pod of its own. */
export function isHotplugVolume(volume: Volume): boolean {
  return Boolean(
    volume.persistentVolumeClaim?.hotpluggable || volume.dataVolume?.hotpluggable || volume.memoryDump?.hotpluggable,
  )
}

/** A volume that an attachment pod brings to the guest. */
export interface HotplugVolume {
  readonly name: string
  readonly claimName: string
}

/** The volumes that come through attachment pods, utility volumes among them. */
export function hotplugVolumes({ volumes, utilityVolumes }: VirtualMachineInstanceSpec): HotplugVolume[] {
  const plugged = (volumes ?? []).filter(isHotplugVolume).map((volume) => ({
    name: volume.name,
    claimName: claimName(volume) ?? '',
  }))
  return [...plugged, ...(utilityVolumes ?? []).map(({ name, claimName }) => ({ name, claimName }))]
}

/** Names of the secrets that a cloud-init volume reads. */
export function cloudInitSecrets(volume: Volume): { userData?: string; networkData?: string } {
  const source = cloudInitSource(volume)
  return {
    ...(source?.secretRef?.name === undefined ? {} : { userData: source.secretRef.name }),
    ...(source?.networkDataSecretRef?.name === undefined ? {} : { networkData: source.networkDataSecretRef.name }),
  }
}
