/** Condition types of a VMI; a VM mirrors them. */
export const vmiCondition = {
  ready: 'Ready',
  podScheduled: 'PodScheduled',
  provisioning: 'Provisioning',
  dataVolumesReady: 'DataVolumesReady',
  synchronized: 'Synchronized',
  paused: 'Paused',
  agentConnected: 'AgentConnected',
  agentVersionNotSupported: 'AgentVersionNotSupported',
  accessCredentialsSynchronized: 'AccessCredentialsSynchronized',
  liveMigratable: 'LiveMigratable',
  storageLiveMigratable: 'StorageLiveMigratable',
  hotVcpuChange: 'HotVCPUChange',
  hotMemoryChange: 'HotMemoryChange',
  volumesChange: 'VolumesChange',
  migrationRequired: 'MigrationRequired',
  evictionRequested: 'EvictionRequested',
  decentralizedLiveMigrationFailure: 'DecentralizedLiveMigrationFailure',
  softwareEmulation: 'SoftwareEmulation',
} as const

/** Reason of VolumesChange=False: the volumes are to stay where they are after all. */
export const volumesChangeCancellation = 'VolumesChangeCancellation'

/** Condition types that only a VM has. */
export const vmCondition = {
  ready: 'Ready',
  failure: 'Failure',
  restartRequired: 'RestartRequired',
  manualRecoveryRequired: 'ManualRecoveryRequired',
} as const

export const kubeVirtCondition = {
  available: 'Available',
  progressing: 'Progressing',
  degraded: 'Degraded',
  created: 'Created',
  synchronized: 'Synchronized',
} as const

export const migrationCondition = {
  abortRequested: 'migrationAbortRequested',
  rejectedByResourceQuota: 'migrationRejectedByResourceQuota',
  blockedByUtilityVolumes: 'migrationBlockedByUtilityVolumes',
  blockedByBackup: 'migrationBlockedByBackup',
  decentralizedBlocked: 'decentralizedMigrationBlocked',
} as const

/** Condition of a launcher pod, also its readiness gate: False while its guest is paused. */
export const podUnpausedCondition = 'kubevirt.io/virtual-machine-unpaused'

/** Reasons of the Ready condition of a VMI and, while there is none, of its VM. */
export const readyReason = {
  podNotExists: 'PodNotExists',
  podTerminating: 'PodTerminating',
  guestNotRunning: 'GuestNotRunning',
  podConditionMissing: 'PodConditionMissing',
  vmiNotExists: 'VMINotExists',
  vmiConditionMissing: 'VMIConditionMissing',
} as const

/** Reasons of Synchronized=False on a VMI. */
export const synchronizedReason = {
  failedCreate: 'FailedCreate',
  failedDelete: 'FailedDelete',
  failedHandOver: 'FailedHandOver',
  failedBackendStorageCreate: 'FailedBackendStorageCreate',
  failedBackendStorageProbe: 'FailedBackendStorageProbe',
  backendStorageNotReady: 'BackendStorageNotReady',
  failedDataVolumeImport: 'FailedDataVolumeImport',
  failedGuaranteeResources: 'FailedGuaranteeResources',
  failedPvcNotFound: 'FailedPvcNotFound',
  failedHotplugSync: 'FailedHotplugSync',
  pvcNotReady: 'PVCNotReady',
  missingAttachmentPod: 'MissingAttachmentPod',
  errImagePull: 'ErrImagePull',
  imagePullBackOff: 'ImagePullBackOff',
  failedPodPatch: 'FailedPodPatch',
  failedCreateValidation: 'FailedCreateValidation',
  containerPathVolumesDisabled: 'ContainerPathVolumesDisabled',
  missingVirtiofsContainers: 'MissingVirtiofsContainers',
  /** virt-handler's: the launcher could not bring the guest to what the spec says. */
  domainSynchronizationFailed: 'Synchronizing with the Domain failed.',
} as const

/** Reasons of Failure=True on a VM. */
export const vmFailureReason = {
  failedCreate: 'FailedCreate',
  failedDelete: 'FailedDelete',
  hotPlugVolumeError: 'HotPlugVolumeError',
  hotPlugCpuError: 'HotPlugCPUError',
  hotPlugMemoryError: 'HotPlugMemoryError',
  affinityChangeError: 'AffinityChangeError',
  tolerationsChangeError: 'TolerationsChangeError',
  volumesUpdateError: 'VolumesUpdateError',
  annotationsLabelsChangeError: 'AnnotationsLabelsChangeError',
  failedUpdateError: 'FailedUpdateError',
  firmwareUuidError: 'FirmwareUUIDError',
} as const

export const pausedReason = {
  byUser: 'PausedByUser',
  ioError: 'PausedIOError',
  byMigrationMonitor: 'PausedByMigrationMonitor',
} as const

/** Reasons of LiveMigratable=False. */
export const notLiveMigratableReason = {
  disks: 'DisksNotLiveMigratable',
  interface: 'InterfaceNotLiveMigratable',
  cpuMode: 'CPUModeLiveMigratable',
  hostDevice: 'HostDeviceNotLiveMigratable',
  sev: 'SEVNotLiveMigratable',
  tdx: 'TDXNotLiveMigratable',
  secureExecution: 'SecureExecutionNotLiveMigratable',
  noTscFrequency: 'NoTSCFrequencyNotLiveMigratable',
  hypervPassthrough: 'HypervPassthroughNotLiveMigratable',
  virtiofs: 'VirtIOFSNotLiveMigratable',
  persistentReservation: 'PersistentReservationNotLiveMigratable',
  hotplug: 'HotplugNotLiveMigratable',
  notMigratable: 'NotMigratable',
} as const
