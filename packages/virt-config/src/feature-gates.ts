import type { KubeVirtConfiguration } from '@kubevirt-ts/api'

/** GA is always on, Beta on unless disabled, Alpha off unless enabled, Discontinued refuses the VMs that use it. */
export type GateState = 'Alpha' | 'Beta' | 'GA' | 'Deprecated' | 'Discontinued'

const gatesByState = {
  Alpha: [
    'AlignCPUs',
    'CPUManager',
    'ConfigurableHypervisor',
    'ContainerPathVolumes',
    'CrossArchitectureVirtualization',
    // Of this product alone: container disks without init containers.
    'DirectContainerDisk',
    'DownwardMetrics',
    'EnableVirtioFsStorageVolumes',
    'ExperimentalIgnitionSupport',
    'FirmwareAutoSelection',
    'GraceIOVirtualization',
    'HostDevices',
    'HostDisk',
    'HypervStrictCheck',
    'IOMMUFD',
    'IncrementalBackup',
    'MigrationDowntimeTuning',
    'MigrationStallDetection',
    'NetworkDevicesWithDRA',
    'OCIExport',
    'ObjectGraph',
    'PCINUMAAwareTopology',
    'Plugins',
    'PortRangesSpec',
    'ReservedOverheadMemlock',
    'Root',
    'Sidecar',
    'UtilityVolumes',
    'VGPULiveMigration',
    'VMStatsCollector',
    'VSOCK',
    'WorkloadEncryptionTDX',
  ],
  Beta: [
    'DeclarativeHotplugVolumes',
    'DecentralizedLiveMigration',
    'ExternalNetResourceInjection',
    'GPUsWithDRA',
    'HostDevicesWithDRA',
    'ImageVolume',
    'KubevirtSeccompProfile',
    'NodeRestriction',
    'OptOutRoleAggregation',
    'PasstBinding',
    'PodSecondaryInterfaceNamingUpgrade',
    'RebootPolicy',
    'Snapshot',
    'Template',
    'WorkloadEncryptionSEV',
  ],
  GA: [
    'AutoResourceLimitsGate',
    'BochsDisplayForEFIGuests',
    'CPUNodeDiscovery',
    'ClusterProfiler',
    'CommonInstancetypesDeploymentGate',
    'DisableCustomSELinuxPolicy',
    'DynamicPodInterfaceNaming',
    'EnableVirtioFsConfigVolumes',
    'ExpandDisks',
    'GPU',
    'HotplugNICs',
    'InstancetypeReferencePolicy',
    'LibvirtHooksServerAndClient',
    'LiveMigration',
    'LiveUpdateNADRef',
    'MigrationPriorityQueue',
    'NUMA',
    'NetworkBindingPlugins',
    'NonRoot',
    'PSA',
    'PanicDevices',
    'PersistentReservation',
    'SRIOVLiveMigration',
    'SecureExecution',
    'VMExport',
    'VMLiveUpdateFeatures',
    'VMPersistentState',
    'VideoConfig',
    'VmiMemoryOverheadReport',
    'VolumeMigration',
    'VolumesUpdateStrategy',
  ],
  Deprecated: ['DisableMDEVConfiguration', 'DockerSELinuxMCSWorkaround', 'HotplugVolumes', 'MultiArchitecture'],
  Discontinued: ['ExperimentalVirtiofsSupport', 'Macvtap', 'Passt', 'PasstIPStackMigration'],
} as const satisfies Record<GateState, readonly string[]>

export type FeatureGateName = (typeof gatesByState)[GateState][number]

/** Every gate with its state. */
export const featureGates = Object.fromEntries(
  Object.entries(gatesByState).flatMap(([state, names]) => names.map((name) => [name, state])),
) as Readonly<Record<FeatureGateName, GateState>>

export function isKnownGate(name: string): name is FeatureGateName {
  return Object.hasOwn(featureGates, name)
}

type GateLists = {
  readonly developerConfiguration?: Pick<
    NonNullable<KubeVirtConfiguration['developerConfiguration']>,
    'featureGates' | 'disabledFeatureGates'
  >
}

/** Enabled by name wins over disabled by name; what is in neither list follows its state. */
export function isGateEnabled(configuration: GateLists, gate: FeatureGateName): boolean {
  const { featureGates: enabled = [], disabledFeatureGates: disabled = [] } = configuration.developerConfiguration ?? {}
  const state = featureGates[gate]
  if (state === 'GA') return true
  if (enabled.includes(gate)) return true
  if (disabled.includes(gate)) return false
  return state === 'Beta'
}
