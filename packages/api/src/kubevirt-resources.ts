/** The resources of KubeVirt, each in its storage version. */
import type {
  KubeVirt,
  MigrationPolicy,
  Plugin,
  VirtualMachine,
  VirtualMachineBackup,
  VirtualMachineBackupTracker,
  VirtualMachineClone,
  VirtualMachineClusterInstancetype,
  VirtualMachineClusterPreference,
  VirtualMachineExport,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
  VirtualMachineInstancePreset,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineInstancetype,
  VirtualMachinePool,
  VirtualMachinePreference,
  VirtualMachineRestore,
  VirtualMachineSnapshot,
  VirtualMachineSnapshotContent,
} from './generated/index.ts'
import type { ResourceType } from './resource-type.ts'

export const virtualMachines: ResourceType<VirtualMachine> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachines',
  kind: 'VirtualMachine',
  namespaced: true,
}
export const virtualMachineInstances: ResourceType<VirtualMachineInstance> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachineinstances',
  kind: 'VirtualMachineInstance',
  namespaced: true,
}
export const virtualMachineInstancePresets: ResourceType<VirtualMachineInstancePreset> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachineinstancepresets',
  kind: 'VirtualMachineInstancePreset',
  namespaced: true,
}
export const virtualMachineInstanceReplicaSets: ResourceType<VirtualMachineInstanceReplicaSet> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachineinstancereplicasets',
  kind: 'VirtualMachineInstanceReplicaSet',
  namespaced: true,
}
export const virtualMachineInstanceMigrations: ResourceType<VirtualMachineInstanceMigration> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachineinstancemigrations',
  kind: 'VirtualMachineInstanceMigration',
  namespaced: true,
}
export const kubeVirts: ResourceType<KubeVirt> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'kubevirts',
  kind: 'KubeVirt',
  namespaced: true,
}
export const virtualMachinePools: ResourceType<VirtualMachinePool> = {
  group: 'pool.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinepools',
  kind: 'VirtualMachinePool',
  namespaced: true,
}
export const virtualMachineSnapshots: ResourceType<VirtualMachineSnapshot> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinesnapshots',
  kind: 'VirtualMachineSnapshot',
  namespaced: true,
}
export const virtualMachineSnapshotContents: ResourceType<VirtualMachineSnapshotContent> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinesnapshotcontents',
  kind: 'VirtualMachineSnapshotContent',
  namespaced: true,
}
export const virtualMachineRestores: ResourceType<VirtualMachineRestore> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinerestores',
  kind: 'VirtualMachineRestore',
  namespaced: true,
}
export const virtualMachineExports: ResourceType<VirtualMachineExport> = {
  group: 'export.kubevirt.io',
  version: 'v1',
  plural: 'virtualmachineexports',
  kind: 'VirtualMachineExport',
  namespaced: true,
}
export const virtualMachineBackups: ResourceType<VirtualMachineBackup> = {
  group: 'backup.kubevirt.io',
  version: 'v1alpha1',
  plural: 'virtualmachinebackups',
  kind: 'VirtualMachineBackup',
  namespaced: true,
}
export const virtualMachineBackupTrackers: ResourceType<VirtualMachineBackupTracker> = {
  group: 'backup.kubevirt.io',
  version: 'v1alpha1',
  plural: 'virtualmachinebackuptrackers',
  kind: 'VirtualMachineBackupTracker',
  namespaced: true,
}
export const virtualMachineClones: ResourceType<VirtualMachineClone> = {
  group: 'clone.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachineclones',
  kind: 'VirtualMachineClone',
  namespaced: true,
}
export const migrationPolicies: ResourceType<MigrationPolicy> = {
  group: 'migrations.kubevirt.io',
  version: 'v1alpha1',
  plural: 'migrationpolicies',
  kind: 'MigrationPolicy',
  namespaced: false,
}
export const virtualMachineInstancetypes: ResourceType<VirtualMachineInstancetype> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachineinstancetypes',
  kind: 'VirtualMachineInstancetype',
  namespaced: true,
}
export const virtualMachineClusterInstancetypes: ResourceType<VirtualMachineClusterInstancetype> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachineclusterinstancetypes',
  kind: 'VirtualMachineClusterInstancetype',
  namespaced: false,
}
export const virtualMachinePreferences: ResourceType<VirtualMachinePreference> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinepreferences',
  kind: 'VirtualMachinePreference',
  namespaced: true,
}
export const virtualMachineClusterPreferences: ResourceType<VirtualMachineClusterPreference> = {
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachineclusterpreferences',
  kind: 'VirtualMachineClusterPreference',
  namespaced: false,
}
export const plugins: ResourceType<Plugin> = {
  group: 'plugin.kubevirt.io',
  version: 'v1alpha1',
  plural: 'plugins',
  kind: 'Plugin',
  namespaced: false,
}
