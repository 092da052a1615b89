import type { KubeVirtConfiguration, PersistentVolumeClaimInfo, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Domain } from '@kubevirt-ts/domain'
import { hotplugVolumes } from '@kubevirt-ts/vmispec'
import type { PluggedVolume } from '../host/hotplug/plugged-volumes.ts'
import { imageSize } from './image-size.ts'

export interface PlugPlan {
  readonly plug: readonly PluggedVolume[]
  /** Names. */
  readonly unplug: readonly string[]
}

/**
 * Which volumes go into the launcher's pod, and which come out. One comes out only when the guest has let its disk go.
 * @param plugged names of those that are in the pod
 */
export function plugPlan(
  vmi: VirtualMachineInstance,
  domain: Domain | undefined,
  plugged: readonly string[],
  configuration: KubeVirtConfiguration,
): PlugPlan {
  const wanted = hotplugVolumes(vmi.spec)
  const plug = wanted.flatMap(({ name }) => {
    if (plugged.includes(name)) return []
    const status = vmi.status?.volumeStatus?.find((each) => each.name === name)
    const attachmentPodUid = status?.hotplugVolume?.attachPodUID
    if (attachmentPodUid === undefined || attachmentPodUid === '') return []
    const claim = status?.persistentVolumeClaimInfo
    return [
      {
        name,
        attachmentPodUid,
        kind: kindOf(vmi, name, claim),
        size: imageSize(claim?.capacity?.storage, configuration),
      },
    ]
  })
  const unplug = plugged.filter((name) => !wanted.some((each) => each.name === name) && !hasDisk(domain, name))
  return { plug, unplug }
}

function kindOf(
  { spec }: VirtualMachineInstance,
  name: string,
  claim: PersistentVolumeClaimInfo | undefined,
): PluggedVolume['kind'] {
  if (claim?.volumeMode === 'Block') return 'block'
  const isDump = spec.volumes?.find((each) => each.name === name)?.memoryDump !== undefined
  const isUtility = spec.utilityVolumes?.some((each) => each.name === name) ?? false
  return isDump || isUtility ? 'folder' : 'disk'
}

/** Whether the guest has the volume as a disk; as long as nothing is known of the domain, it may. */
export function hasDisk(domain: Domain | undefined, name: string): boolean {
  if (domain === undefined) return true
  return diskOf(domain, name) !== undefined
}

/** The disk that a volume has become. An empty CD-ROM drive holds none. */
export function diskOf({ spec }: Domain, name: string) {
  const disk = spec.devices?.disk?.find(({ alias }) => alias?.$name === `ua-${name}` || alias?.$name === name)
  return disk !== undefined && (disk.source?.$file ?? disk.source?.$dev) !== undefined ? disk : undefined
}
