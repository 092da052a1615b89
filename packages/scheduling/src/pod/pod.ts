import type { Pod, PodSpec, PodVolume, Quantity } from '@kubevirt-ts/api'

/** Sources of volumes that only scheduling knows: disks that one node may use at a time, and claims made for a pod. */
export interface SchedulingVolume extends PodVolume {
  readonly gcePersistentDisk?: { readonly pdName: string; readonly readOnly?: boolean }
  readonly awsElasticBlockStore?: { readonly volumeID: string; readonly readOnly?: boolean }
  readonly iscsi?: { readonly iqn: string; readonly readOnly?: boolean }
  readonly rbd?: {
    readonly monitors: readonly string[]
    readonly image: string
    readonly pool?: string
    readonly readOnly?: boolean
  }
  readonly ephemeral?: { readonly volumeClaimTemplate?: unknown }
}

export interface ResourceAmounts {
  readonly requests?: Readonly<Record<string, Quantity>>
  readonly limits?: Readonly<Record<string, Quantity>>
}

/** A pod's specification with the fields that only schedulers read. */
export type SchedulingPodSpec = PodSpec & { readonly resources?: ResourceAmounts }

export function volumesOf(pod: Pod): readonly SchedulingVolume[] {
  return (pod.spec.volumes ?? []) as readonly SchedulingVolume[]
}

/** The claim's name of a volume that has one; a pod's own claims are named after pod and volume. */
export function claimNameOf(pod: Pod, volume: SchedulingVolume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral ? `${pod.metadata.name}-${volume.name}` : undefined
}

/** A pod that ended holds nothing of its node any more. */
export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

export function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0
}
