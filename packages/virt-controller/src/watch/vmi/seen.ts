import type {
  KubeVirtConfiguration,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import type { Storage } from '../storage/claim-state.ts'
import type { PodFate } from './pod-fates.ts'

/** All that a step may look at. Nothing here is written to. */
export interface Seen extends Storage {
  readonly vmi: VirtualMachineInstance
  /** Launcher pods that the VMI controls, oldest first. */
  readonly pods: readonly Pod[]
  /** Pods that stand in for the launcher while claims are filled. */
  readonly temporaryPods: readonly Pod[]
  /** False while a pod that this controller created or deleted is not yet visible in the cache. */
  readonly podsSettled: boolean
  /** Whether the VirtualMachine that controls the VMI outlives it. */
  readonly ownerVmStays: boolean
  /** Pods that hold volumes for the launcher pod, newest first. */
  readonly attachments: readonly Pod[]
  /** What is remembered of the launcher pod after it left the API. */
  readonly fate: PodFate | undefined
  /** The claim that keeps the state of the guest's TPM and firmware. */
  readonly stateClaim: () => PersistentVolumeClaim | undefined
  readonly storageClasses: () => readonly StorageClass[]
  readonly configuration: KubeVirtConfiguration
  readonly lowestFrequency: () => number | undefined
  /** What launcher pods of new guests run. */
  readonly launcherImage: string
  readonly now: Date
}

/** The pod that carries (or will carry) the guest: the one on the VMI's node, else the newest. */
export function launcherPod(seen: Pick<Seen, 'vmi' | 'pods'>): Pod | undefined {
  const onNode = seen.pods.filter((pod) => pod.spec?.nodeName === seen.vmi.status?.nodeName)
  return (seen.vmi.status?.nodeName === undefined ? undefined : onNode.at(-1)) ?? seen.pods.at(-1)
}

/** The pod on which the start of the guest depends: its own, or as long as it has none the one that stands in for it. */
export function startingPod(seen: Pick<Seen, 'vmi' | 'pods' | 'temporaryPods'>): Pod | undefined {
  return launcherPod(seen) ?? seen.temporaryPods.at(-1)
}
