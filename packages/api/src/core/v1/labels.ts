/** Labels, annotations and finalizers that KubeVirt's parts and its users' tools agree on. */

export const label = {
  /** Component of a pod: `virt-launcher`, `virt-handler`, `virt-api`, `virt-controller`, ... */
  app: 'kubevirt.io',
  /** UID of the VMI that a launcher pod belongs to. */
  createdBy: 'kubevirt.io/created-by',
  /** Name of the VMI of a launcher pod, shortened when longer than a label may be. */
  vmiId: 'vmi.kubevirt.io/id',
  /** Host name of the guest of a launcher pod; kept for old tools. */
  vmName: 'vm.kubevirt.io/name',
  /** Set by users on templates to find the guests of a VM. */
  vm: 'kubevirt.io/vm',
  /** Node that owns a VMI; virt-handler watches by it. */
  nodeName: 'kubevirt.io/nodeName',
  migrationTargetNodeName: 'kubevirt.io/migrationTargetNodeName',
  migrationJobUid: 'kubevirt.io/migrationJobUID',
  migrationName: 'kubevirt.io/migrationName',
  /** VMI of a migration. */
  vmiName: 'kubevirt.io/vmi-name',
  outdatedLauncherImage: 'kubevirt.io/outdatedLauncherImage',
  memoryHotplugOverheadRatio: 'kubevirt.io/memory-hotplug-overhead-ratio',
  /** What the target pod of a guest that grows by moving may use. */
  vmiPodCpuResourceLimits: 'kubevirt.io/vmi-pod-cpu-resource-limits',
  vmiPodMemoryResourceRequests: 'kubevirt.io/vmi-pod-memory-resource-requests',
  volumeUpdateMigration: 'kubevirt.io/volume-update-migration',
  /** "true" on nodes whose virt-handler is alive. */
  schedulable: 'kubevirt.io/schedulable',
  cpuManager: 'kubevirt.io/cpumanager',
  cpuManagerOld: 'cpumanager',
  realtime: 'kubevirt.io/realtime',
  sev: 'kubevirt.io/sev',
  sevEs: 'kubevirt.io/sev-es',
  sevSnp: 'kubevirt.io/sev-snp',
  tdx: 'kubevirt.io/tdx',
  s390Pv: 'kubevirt.io/s390-pv',
  ksmEnabled: 'kubevirt.io/ksm-enabled',
  hostModelObsolete: 'node-labeller.kubevirt.io/obsolete-host-model',
  logVerbosity: 'logVerbosity',
  debugLogs: 'debugLogs',
  virtiofsdDebugLogs: 'virtiofsdDebugLogs',
  autoMemoryLimitsRatio: 'alpha.kubevirt.io/auto-memory-limits-ratio',
  persistentStateFor: 'persistent-state-for',
  allowAccessClusterServices: 'np.kubevirt.io/allow-access-cluster-services',
  vmPoolRevisionName: 'kubevirt.io/vm-pool-revision-name',
  istioInject: 'sidecar.istio.io/inject',
} as const

/** Prefixes of the node labels that end in what they tell about: a model, a feature, a machine type. */
export const labelPrefix = {
  cpuModel: 'cpu-model.node.kubevirt.io/',
  cpuFeature: 'cpu-feature.node.kubevirt.io/',
  cpuModelMigration: 'cpu-model-migration.node.kubevirt.io/',
  hostModelCpu: 'host-model-cpu.node.kubevirt.io/',
  hostModelRequiredFeatures: 'host-model-required-features.node.kubevirt.io/',
  cpuVendor: 'cpu-vendor.node.kubevirt.io/',
  hyperv: 'hyperv.node.kubevirt.io/',
  machineType: 'machine-type.node.kubevirt.io/',
  cpuTimer: 'cpu-timer.node.kubevirt.io/',
  schedulingTscFrequency: 'scheduling.node.kubevirt.io/tsc-frequency-',
  vmArch: 'kubevirt.io/vm-arch-',
  persistentReservation: 'pr.kubevirt.io/',
} as const

export const annotation = {
  /** Name of the VMI of a launcher pod. */
  domain: 'kubevirt.io/domain',
  migrationJobName: 'kubevirt.io/migrationJobName',
  evacuationMigration: 'kubevirt.io/evacuationMigration',
  workloadUpdateMigration: 'kubevirt.io/workloadUpdateMigration',
  /** Time of virt-handler's last sign of life on its node. */
  heartbeat: 'kubevirt.io/heartbeat',
  /** virt-handler made the node merge equal memory pages. */
  ksmHandlerManaged: 'kubevirt.io/ksm-handler-managed',
  nodeLabellerSkip: 'node-labeller.kubevirt.io/skip-node',
  latestObservedApiVersion: 'kubevirt.io/latest-observed-api-version',
  storageObservedApiVersion: 'kubevirt.io/storage-observed-api-version',
  /** Generation of the VM that a VMI was made from. */
  vmGeneration: 'kubevirt.io/vm-generation',
  keepLauncherAliveAfterFailure: 'kubevirt.io/keep-launcher-alive-after-failure',
  libvirtLogFilters: 'kubevirt.io/libvirt-log-filters',
  migrationTransportUnix: 'kubevirt.io/migrationTransportUnix',
  memoryOverheadBytes: 'kubevirt.io/memory-overhead-bytes',
  ephemeralProvisioning: 'kubevirt.io/ephemeral-provisioning',
  /** VMI whose launcher gets the volumes of an attachment pod. */
  ownerVmiName: 'kubevirt.io/owner-vmi-name',
  ownerVmiUid: 'kubevirt.io/owner-vmi-uid',
  nonRoot: 'kubevirt.io/nonroot',
  hookSidecars: 'hooks.kubevirt.io/hookSidecars',
  ignitionData: 'kubevirt.io/ignitiondata',
  placePciDevicesOnRootComplex: 'kubevirt.io/placePCIDevicesOnRootComplex',
  disablePciHole64: 'kubevirt.io/disablePCIHole64',
  memfd: 'kubevirt.io/memfd',
  freePageReportingDisabled: 'kubevirt.io/free-page-reporting-disabled',
  pciTopologyVersion: 'kubevirt.io/pci-topology-version',
  pciInterfaceSlotCount: 'kubevirt.io/pci-interface-slot-count',
  allowPodBridgeNetworkLiveMigration: 'kubevirt.io/allow-pod-bridge-network-live-migration',
  pauseGuestAgentProbes: 'kubevirt.io/pause-guest-agent-probes',
  immediateDataVolumeCreation: 'kubevirt.io/immediate-data-volume-creation',
  instancetypeName: 'kubevirt.io/instancetype-name',
  clusterInstancetypeName: 'kubevirt.io/cluster-instancetype-name',
  preferenceName: 'kubevirt.io/preference-name',
  clusterPreferenceName: 'kubevirt.io/cluster-preference-name',
  migrationUnschedulablePodTimeoutSeconds: 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds',
  migrationPendingPodTimeoutSeconds: 'kubevirt.io/migrationPendingPodTimeoutSeconds',
  migrationUtilityVolumesTimeoutSeconds: 'kubevirt.io/migrationUtilityVolumesTimeoutSeconds',
  migrationTargetReadyTimestamp: 'kubevirt.io/migration-target-ready-timestamp',
  createMigrationTarget: 'kubevirt.io/create-migration-target',
  restoreRunStrategy: 'kubevirt.io/restore-run-strategy',
  emulatorThreadCompleteToEvenParity: 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity',
  networkInfo: 'kubevirt.io/network-info',
  multusNetworks: 'k8s.v1.cni.cncf.io/networks',
  multusDefaultNetwork: 'v1.multus-cni.io/default-network',
  istioKubevirtInterfaces: 'traffic.sidecar.istio.io/kubevirtInterfaces',
  istioRerouteVirtualInterfaces: 'istio.io/reroute-virtual-interfaces',
  deschedulerRequestEvictOnly: 'descheduler.alpha.kubernetes.io/request-evict-only',
  deschedulerEvictionInProgress: 'descheduler.alpha.kubernetes.io/eviction-in-progress',
  deschedulerEvict: 'descheduler.alpha.kubernetes.io/evict',
  deschedulerPreferNoEviction: 'descheduler.alpha.kubernetes.io/prefer-no-eviction',
  evictionSource: 'kubevirt.io/eviction-source',
  skipBackupHooks: 'kubevirt.io/skip-backup-hooks',
  memoryDump: 'kubevirt.io/memory-dump',
  /** How far a move is, as JSON. */
  migrationProgress: 'migration.kubevirt-ts.io/progress',
  /** Which of two nodes runs a guest whose move broke off: what is known of that. */
  migrationDoubt: 'migration.kubevirt-ts.io/doubt',
} as const

export const finalizer = {
  /** Held on a VMI by its controller until no launcher pod is left. */
  vmi: 'kubevirt.io/foregroundDeleteVirtualMachine',
  /** The same under the name that it had before. */
  vmiOld: 'foregroundDeleteVirtualMachine',
  /** Held on VMs and on their VMIs by the VM controller. */
  vm: 'kubevirt.io/virtualMachineControllerFinalize',
  migration: 'kubevirt.io/migrationJobFinalize',
  /** Held on the KubeVirt resource and on infrastructure objects. */
  infrastructure: 'kubevirt.io/virtOperatorFinalizer',
  pool: 'pool.kubevirt.io/finalizer',
  snapshot: 'snapshot.kubevirt.io/vmsnapshot-protection',
  snapshotContent: 'snapshot.kubevirt.io/vmsnapshotcontent-protection',
  restore: 'snapshot.kubevirt.io/vmrestore-protection',
  snapshotSource: 'snapshot.kubevirt.io/snapshot-source-protection',
} as const
