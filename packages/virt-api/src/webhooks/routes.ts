import type { Admitter } from './admitter.ts'
import { mutateCloneAdmitter } from './mutating/clone.ts'
import { mutateLauncherPod } from './mutating/launcher-pod.ts'
import { adoptingNewVm } from './mutating/adopt-vm.ts'
import { mutateMigrationAdmitter, mutateVmAdmitter, mutateVmiAdmitter } from './mutating/admit.ts'
import { evictPod } from './pod-eviction/admit.ts'
import { shaped } from './schema/admit.ts'
import { createVmi, updateVmi, validateVmAdmitter } from './validating/admit.ts'
import { cloneRules } from './validating/clone.ts'
import { gated } from './validating/gate.ts'
import { instancetypeRules, preferenceRules } from './validating/instancetype.ts'
import { createKubeVirt, deleteKubeVirt, updateKubeVirt } from './validating/kubevirt/admit.ts'
import { migrationPolicyRules } from './validating/migration-policy.ts'
import { createMigration, updateMigration } from './validating/migration.ts'
import { ofKind } from './validating/of-kind.ts'
import { pluginRules } from './validating/plugin.ts'
import { poolRules } from './validating/pool.ts'
import { presetRules } from './validating/preset.ts'
import { replicaSetRules } from './validating/replicaset.ts'
import { admitRestore } from './validating/restore.ts'
import { backupRules, backupTrackerRules, exportRules, snapshotRules } from './validating/snapshot.ts'
import { admitVmStatus } from './validating/vm/volume-requests.ts'

const snapshots = (admit: Admitter) => gated('Snapshot', 'snapshot feature gate not enabled', admit)
const backups = (admit: Admitter) => gated('IncrementalBackup', 'incremental backup feature gate not enabled', admit)
const plugins = (admit: Admitter) => gated('Plugins', 'plugins feature gate not enabled', admit)
const instancetype = ofKind(instancetypeRules)
const preference = ofKind(preferenceRules)

/** Paths of the webhooks; the chart's webhook configurations point here. */
export const admitters: Readonly<Record<string, Admitter>> = {
  '/virtualmachines-mutate': shaped('VirtualMachine', adoptingNewVm(mutateVmAdmitter)),
  '/virtualmachineinstances-mutate': shaped('VirtualMachineInstance', mutateVmiAdmitter),
  '/migration-mutate-create': shaped('VirtualMachineInstanceMigration', mutateMigrationAdmitter),
  '/virtualmachineinstances-validate-create': shaped('VirtualMachineInstance', createVmi),
  '/virtualmachineinstances-validate-update': shaped('VirtualMachineInstance', updateVmi),
  '/virtualmachines-validate': shaped('VirtualMachine', validateVmAdmitter),
  '/virtualmachinereplicaset-validate': shaped('VirtualMachineInstanceReplicaSet', ofKind(replicaSetRules)),
  '/migration-validate-create': shaped('VirtualMachineInstanceMigration', createMigration),
  '/migration-validate-update': shaped('VirtualMachineInstanceMigration', updateMigration),
  '/status-validate': shaped('VirtualMachine', admitVmStatus),
  '/vm-clone-mutate-create': shaped('VirtualMachineClone', mutateCloneAdmitter),
  '/vm-clone-validate-create': shaped('VirtualMachineClone', ofKind(cloneRules)),
  '/virtualmachinepool-validate': shaped('VirtualMachinePool', ofKind(poolRules)),
  '/vmipreset-validate': shaped('VirtualMachineInstancePreset', ofKind(presetRules)),
  '/migration-policy-validate-create': shaped('MigrationPolicy', ofKind(migrationPolicyRules)),
  '/virtualmachinesnapshots-validate': shaped('VirtualMachineSnapshot', snapshots(ofKind(snapshotRules))),
  '/virtualmachinerestores-validate': shaped('VirtualMachineRestore', snapshots(admitRestore)),
  '/virtualmachineexports-validate': shaped('VirtualMachineExport', ofKind(exportRules)),
  '/virtualmachinebackups-validate': shaped('VirtualMachineBackup', backups(ofKind(backupRules))),
  '/virtualmachinebackuptrackers-validate': shaped('VirtualMachineBackupTracker', backups(ofKind(backupTrackerRules))),
  '/virtualmachineinstancetypes-validate': shaped('VirtualMachineInstancetype', instancetype),
  '/virtualmachineclusterinstancetypes-validate': shaped('VirtualMachineClusterInstancetype', instancetype),
  '/virtualmachinepreferences-validate': shaped('VirtualMachinePreference', preference),
  '/virtualmachineclusterpreferences-validate': shaped('VirtualMachineClusterPreference', preference),
  '/plugin-validate': shaped('Plugin', plugins(ofKind(pluginRules))),
  '/virt-launcher-pod-mutate': mutateLauncherPod,
  '/kubevirt-validate-create': shaped('KubeVirt', createKubeVirt),
  '/kubevirt-validate-update': shaped('KubeVirt', updateKubeVirt),
  '/kubevirt-validate-delete': deleteKubeVirt,
  '/pod-eviction-validate': evictPod,
  '/launcher-eviction-validate': evictPod,
}
