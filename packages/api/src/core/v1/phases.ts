/** Phases of a VMI, in the order in which a guest passes them. */
export const phase = {
  unset: '',
  pending: 'Pending',
  scheduling: 'Scheduling',
  scheduled: 'Scheduled',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  waitingForSync: 'WaitingForSync',
  unknown: 'Unknown',
} as const

export type VirtualMachineInstancePhase = (typeof phase)[keyof typeof phase]

export const migrationPhase = {
  unset: '',
  pending: 'Pending',
  scheduling: 'Scheduling',
  scheduled: 'Scheduled',
  preparingTarget: 'PreparingTarget',
  targetReady: 'TargetReady',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  waitingForSync: 'WaitingForSync',
  synchronizing: 'Synchronizing',
} as const

export type VirtualMachineInstanceMigrationPhase = (typeof migrationPhase)[keyof typeof migrationPhase]

export const kubeVirtPhase = {
  deploying: 'Deploying',
  deployed: 'Deployed',
  deleting: 'Deleting',
  deleted: 'Deleted',
} as const

/** What `kubectl get vm` prints under STATUS. */
export const printableStatus = {
  stopped: 'Stopped',
  provisioning: 'Provisioning',
  starting: 'Starting',
  running: 'Running',
  paused: 'Paused',
  stopping: 'Stopping',
  terminating: 'Terminating',
  migrating: 'Migrating',
  crashLoopBackOff: 'CrashLoopBackOff',
  unknown: 'Unknown',
  unschedulable: 'ErrorUnschedulable',
  errImagePull: 'ErrImagePull',
  imagePullBackOff: 'ImagePullBackOff',
  pvcNotFound: 'ErrorPvcNotFound',
  dataVolumeError: 'DataVolumeError',
  waitingForVolumeBinding: 'WaitingForVolumeBinding',
  waitingForReceiver: 'WaitingForReceiver',
} as const

export type VirtualMachinePrintableStatus = (typeof printableStatus)[keyof typeof printableStatus]

export const volumePhase = {
  pending: 'Pending',
  bound: 'Bound',
  attachedToNode: 'AttachedToNode',
  mountedToPod: 'MountedToPod',
  ready: 'Ready',
  detaching: 'Detaching',
  unmountedFromPod: 'UnMountedFromPod',
  memoryDumpInProgress: 'MemoryDumpInProgress',
  memoryDumpCompleted: 'MemoryDumpCompleted',
  memoryDumpFailed: 'MemoryDumpFailed',
} as const
