/** Reasons of events and of condition Synchronized, each a stable word that users may match on. */
export const reason = {
  successfulCreate: 'SuccessfulCreate',
  failedCreate: 'FailedCreate',
  successfulDelete: 'SuccessfulDelete',
  failedDelete: 'FailedDelete',
  /** A claim that a volume names does not exist. */
  failedPvcNotFound: 'FailedPvcNotFound',
  /** The spec cannot be rendered into a pod. */
  failedCreateValidation: 'FailedCreateValidation',
  /** Dedicated CPUs were asked for, but the pod is not of QoS class Guaranteed. */
  failedGuaranteeResources: 'FailedGuaranteeResources',
  /** A claim that a volume names has no volume yet, or lost it. */
  pvcNotReady: 'PVCNotReady',
  failedDataVolumeImport: 'FailedDataVolumeImport',
  /** Volumes of a running guest could not be attached. */
  failedHotplugSync: 'FailedHotplugSync',
  /** The claim for the state of TPM or firmware could not be made, or is not usable yet. */
  failedBackendStorageCreate: 'FailedBackendStorageCreate',
  backendStorageNotReady: 'BackendStorageNotReady',
  /** The guest's clock depends on a frequency that no node tells. Spelled as KubeVirt does, since users match on it. */
  noTopologyHints: 'FailedGatherhingClusterTopologyHints',
  /** The pod cannot be told what its guest became. */
  failedPodPatch: 'FailedPodPatch',
  /** Folders of containers are to be shared with the guest, and the feature gate for it is off. */
  containerPathsDisabled: 'ContainerPathVolumesDisabled',
  /** Nobody gave the pod the containers that share such folders. */
  missingVirtiofsContainers: 'MissingVirtiofsContainers',
} as const

/** Of the kubelet's events: why the containers of a pod do not even begin to start. */
export const kubeletReasons: readonly string[] = [
  'FailedMount',
  'FailedMapVolume',
  'FailedAttachVolume',
  'FailedCreatePodSandBox',
  'NetworkNotReady',
]

/** What kept one pass from reaching its goal. */
export interface Problem {
  readonly reason: string
  readonly message: string
  /** False where only another object's change can help; that change wakes the key by itself. */
  readonly retry: boolean
}
