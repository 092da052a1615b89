import type { KubeObject } from '@kubevirt-ts/api'

export type EventResource =
  | 'Node'
  | 'AssignedPod'
  | 'UnscheduledPod'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'Namespace'
  | 'VirtualMachine'
  | 'VirtualMachineInstance'
  | 'Waited'

/** Something changed that may make a pod schedulable. */
export interface ClusterEvent {
  readonly resource: EventResource
  readonly action: 'Add' | 'Update' | 'Delete'
  /** The object before, for updates and deletions. */
  readonly before?: KubeObject
  /** The object now, for additions and updates. */
  readonly after?: KubeObject
}
