import type {
  ControllerRevision,
  KubeVirtConfiguration,
  VirtualMachine,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import type { EventRecorder, Expectations, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { OwnWrites } from '../own-writes.ts'
import type { Patience } from '../patience.ts'
import type { SyncedKeys } from '../synced-metadata.ts'
import type { StorageCaches } from '../storage/caches.ts'

/** What the controller works with: caches to look at, a client to write with. */
export interface Deps extends StorageCaches {
  readonly client: KubeClient
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index `byVmUid`. */
  readonly revisions: Lister<ControllerRevision>
  readonly configuration: () => KubeVirtConfiguration
  readonly events: Pick<EventRecorder, 'event'>
  readonly expectations: Expectations
  readonly ownWrites: OwnWrites
  readonly synced: SyncedKeys
  readonly patience: Pick<Patience, 'left' | 'forget'>
  readonly now: () => Date
  readonly random: () => number
}
