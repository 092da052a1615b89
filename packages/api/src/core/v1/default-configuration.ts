import type { KubeVirtConfiguration } from '../../generated/index.ts'

/**
 * What holds where the KubeVirt resource says nothing; its `spec.configuration` is merged over this.
 * Empty strings and missing keys mean that the cluster's own default is used.
 */
export const defaultConfiguration = {
  additionalGuestMemoryOverheadRatio: '1',
  apiConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter: { qps: 200, burst: 400 } } } },
  architectureConfiguration: {
    amd64: { machineType: 'q35', emulatedMachines: ['q35*', 'pc-q35*'], ovmfPath: '/usr/share/edk2/ovmf' },
    arm64: { machineType: 'virt', emulatedMachines: ['virt*'], ovmfPath: '/usr/share/AAVMF' },
    s390x: { machineType: 's390-ccw-virtio', emulatedMachines: ['s390-ccw-virtio*'], ovmfPath: '' },
    defaultArchitecture: 'amd64',
  },
  controllerConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter: { qps: 200, burst: 400 } } } },
  cpuModel: '',
  cpuRequest: '100m',
  defaultRuntimeClass: '',
  developerConfiguration: {
    cpuAllocationRatio: 10,
    diskVerification: { memoryLimit: '2000Mi' },
    disabledFeatureGates: [],
    featureGates: [],
    logVerbosity: { virtAPI: 2, virtController: 2, virtHandler: 2, virtLauncher: 2, virtOperator: 2 },
    memoryOvercommit: 100,
    minimumReservePVCBytes: 131072,
    pvcTolerateLessSpaceUpToPercent: 10,
    useEmulation: false,
  },
  evictionStrategy: 'None',
  handlerConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter: { qps: 50, burst: 100 } } } },
  hypervisors: [{ name: 'kvm' }],
  imagePullPolicy: 'IfNotPresent',
  instancetype: { referencePolicy: 'reference' },
  liveUpdateConfiguration: { maxHotplugRatio: 4 },
  memBalloonStatsPeriod: 10,
  migrations: {
    allowAutoConverge: false,
    allowPostCopy: false,
    bandwidthPerMigration: '0Mi',
    completionTimeoutPerGiB: 150,
    disableTLS: false,
    maxDowntimeMs: 900,
    nodeDrainTaintKey: 'kubevirt.io/drain',
    parallelMigrationsPerCluster: 5,
    parallelOutboundMigrationsPerNode: 2,
    progressTimeout: 150,
    unsafeMigrationOverride: false,
    utilityVolumesTimeout: 150,
  },
  network: { defaultNetworkInterface: 'bridge', permitBridgeInterfaceOnPodNetwork: true },
  selinuxLauncherType: '',
  smbios: { family: 'KubeVirt', manufacturer: 'KubeVirt', product: 'None' },
  supportedGuestAgentVersions: ['2.*', '3.*', '4.*', '5.*'],
  vmRolloutStrategy: 'LiveUpdate',
  vmStateStorageClass: '',
  webhookConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter: { qps: 200, burst: 400 } } } },
} as const satisfies Frozen<KubeVirtConfiguration>

/** A type whose values are never changed, deep down. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T
