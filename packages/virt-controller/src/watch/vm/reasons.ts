/** Reasons of events and of condition Failure, each a stable word that users may match on. */
export const reason = {
  successfulCreate: 'SuccessfulCreate',
  failedCreate: 'FailedCreate',
  successfulDelete: 'SuccessfulDelete',
  failedDelete: 'FailedDelete',
  failedUpdate: 'FailedUpdateError',
  /** The guest's UUID could not be written down, without which it would be another machine after a restart. */
  firmwareUuid: 'FirmwareUUIDError',
  /** Claims of a running guest's volumes could not be changed. */
  volumesUpdate: 'VolumesUpdateError',
  /** Volumes of the guest could not be plugged in or out. */
  hotplugVolume: 'HotPlugVolumeError',
  hotplugCpu: 'HotPlugCPUError',
  hotplugMemory: 'HotPlugMemoryError',
  affinityChange: 'AffinityChangeError',
  tolerationsChange: 'TolerationsChangeError',
  metadataChange: 'AnnotationsLabelsChangeError',
  /** The guest could not be given, or made to let go of, the claim that its memory is dumped to. */
  memoryDump: 'MemoryDumpError',
  dataVolumeCreated: 'SuccessfulDataVolumeCreate',
  dataVolumeFailed: 'FailedDataVolumeCreate',
  dataVolumeImport: 'FailedDataVolumeImport',
  cloneUnauthorized: 'UnauthorizedDataVolumeCreate',
  /** Spelled as KubeVirt does, since users match on it. */
  sourceClaimMissing: 'SourcePVCNotAvailabe',
  /** The VM names an instance type that does not exist. */
  instancetypeNotFound: 'FailedFindInstancetype',
  /** The VM names a preference that does not exist. */
  preferenceNotFound: 'FailedFindPreference',
  /** The template sets what the instance type sets too. */
  instancetypeConflict: 'InstancetypeConflict',
  /** Another owner's VMI has the name that the VM's instance needs. */
  nameTaken: 'FailedCreate',
} as const

/** What kept one pass from reaching its goal. */
export interface Problem {
  readonly reason: string
  readonly message: string
  /** False where only another object's change can help; that change wakes the key by itself. */
  readonly retry: boolean
  /** Where no event tells of that change: milliseconds until the next look. */
  readonly lookAgainMs?: number
}
