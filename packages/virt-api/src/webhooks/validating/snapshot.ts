import type {
  VirtualMachineBackup,
  VirtualMachineBackupTracker,
  VirtualMachineExport,
  VirtualMachineSnapshot,
} from '@kubevirt-ts/api'
import { required, when } from './cause.ts'
import { immutableSpec } from './immutable-spec.ts'
import type { KindRule } from './of-kind.ts'
import { sourceCauses, virtualMachine } from './source.ts'
import type { Sources } from './source.ts'

const source =
  (sources: Sources): KindRule<VirtualMachineSnapshot | VirtualMachineExport | VirtualMachineBackup> =>
  ({ object }) =>
    sourceCauses(object.spec.source, 'spec.source', sources)

export const snapshotRules: readonly KindRule<VirtualMachineSnapshot>[] = [source(virtualMachine), immutableSpec]

export const exportRules: readonly KindRule<VirtualMachineExport>[] = [
  source({
    ...virtualMachine,
    PersistentVolumeClaim: '',
    VirtualMachineSnapshot: 'snapshot.kubevirt.io',
    VirtualMachineBackup: 'backup.kubevirt.io',
  }),
  immutableSpec,
]

/** A backup that is pushed needs somewhere to go. */
const pushTarget: KindRule<VirtualMachineBackup> = ({ object: { spec } }) =>
  when((spec.mode ?? 'Push') === 'Push' && !spec.pvcName, () =>
    required('spec.pvcName', 'a backup in mode Push needs the name of a claim to write to'),
  )

export const backupRules: readonly KindRule<VirtualMachineBackup>[] = [
  source({ ...virtualMachine, VirtualMachineBackupTracker: 'backup.kubevirt.io' }),
  pushTarget,
  immutableSpec,
]

export const backupTrackerRules: readonly KindRule<VirtualMachineBackupTracker>[] = [
  ({ object }) => sourceCauses(object.spec.source, 'spec.source', virtualMachine),
  immutableSpec,
]
