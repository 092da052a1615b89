import {
  migrationDoubtOf,
  openMigrationDoubt,
  type Pod,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigration,
  type VirtualMachineInstanceMigrationState,
} from '@kubevirt-ts/api'
import { isFinished } from '../pod-state.ts'

/** All that a step may look at. Nothing here is written to. */
export interface Seen {
  readonly migration: VirtualMachineInstanceMigration
  readonly vmi: VirtualMachineInstance | undefined
  /** The pod that this migration made for the guest to move to. */
  readonly targetPod: Pod | undefined
  /** Pods that hold volumes for the target pod, newest first. */
  readonly attachments: readonly Pod[]
  /** The pod in which the guest runs. */
  readonly sourcePod: Pod | undefined
  /** False while a pod that this controller created is not yet visible in the cache. */
  readonly podSettled: boolean
  /** Another migration of the guest that goes first and has not ended; this one has not begun. */
  readonly rival: VirtualMachineInstanceMigration | undefined
  /** Seconds that a guest's utility volumes are waited for, as the KubeVirt resource says. */
  readonly utilityVolumesTimeout: number | undefined
  readonly now: Date
}

export function isFinal({ status }: VirtualMachineInstanceMigration): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

/** The state on the VMI, where it is about this migration: the nodes' agents work on it. */
export function handedOver({ vmi, migration }: Seen): VirtualMachineInstanceMigrationState | undefined {
  const state = vmi?.status?.migrationState
  return state?.migrationUid === migration.metadata.uid ? state : undefined
}

/** Whether the nodes' agents still work on another migration of the guest, or do not know where it left the guest. */
export function isOccupied({ vmi, migration }: Seen): boolean {
  const doubt = vmi === undefined ? undefined : openMigrationDoubt(vmi.metadata)
  if (doubt !== undefined && doubt !== migration.metadata.uid) return true
  const state = vmi?.status?.migrationState
  if (state?.migrationUid === undefined || state.migrationUid === migration.metadata.uid) return false
  return state.completed !== true && state.failed !== true
}

/** Whether the nodes lost each other at the switch-over and the target has not said yet whether the guest runs there. */
export function isInDoubt({ vmi, migration }: Seen): boolean {
  return vmi !== undefined && migrationDoubtOf(vmi.metadata, migration.metadata.uid) === 'asked'
}

/** Whether no process of the target pod is left. A pod that is being deleted may still run the guest. */
export function isTargetGone({ targetPod, podSettled }: Seen): boolean {
  return targetPod === undefined ? podSettled : isFinished(targetPod)
}
