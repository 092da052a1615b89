import type { KubeVirtConfiguration, Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { EventRecorder, Expectations, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Attachment } from '../../services/template/attachment-pod.ts'
import type { SyncCounts } from '../../metrics/syncs.ts'
import type { OwnWrites } from '../own-writes.ts'
import type { StorageCaches } from '../storage/caches.ts'
import type { SyncedKeys } from '../synced-metadata.ts'
import type { Patience } from '../patience.ts'
import type { KubeletComplaints } from './kubelet-complaints.ts'
import type { PodFates } from './pod-fates.ts'

/** What the controller works with: caches to look at, a client to write with. */
export interface Deps extends StorageCaches {
  readonly client: KubeClient
  readonly vmis: Lister<VirtualMachineInstance>
  readonly vms: Lister<VirtualMachine>
  /** With index `byVmiUid`. */
  readonly pods: Lister<Pod>
  /** Pods that hold volumes for launchers, with indexes `byLauncherUid` and `byGuestUid`. */
  readonly attachments: Lister<Pod>
  readonly configuration: () => KubeVirtConfiguration
  readonly settings: Attachment['settings']
  /** Frequency of the time stamp counter that new guests are to see; undefined while no node told one. */
  readonly lowestFrequency: () => number | undefined
  /** The launcher pod of a VMI; throws a VirtError where the spec cannot be rendered. */
  readonly render: (vmi: VirtualMachineInstance) => Pod
  /** What launcher pods of new guests run. */
  readonly launcherImage: string
  readonly events: Pick<EventRecorder, 'event'>
  readonly expectations: Expectations
  readonly ownWrites: OwnWrites
  /** The same for launcher pods. */
  readonly podWrites: OwnWrites
  readonly fates: PodFates
  readonly complaints: Pick<KubeletComplaints, 'about' | 'forget'>
  /** Counts what is written. */
  readonly syncs: Pick<SyncCounts, 'count' | 'forget'>
  readonly synced: SyncedKeys
  /** Whether the cluster's guests are to be backed up without being frozen. */
  readonly skipsBackupHooks: () => boolean
  readonly patience: Pick<Patience, 'left' | 'forget'>
  readonly now: () => Date
}
