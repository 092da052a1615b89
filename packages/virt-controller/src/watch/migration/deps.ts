import type {
  KubeVirtConfiguration,
  Node,
  Pod,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import type { EventRecorder, Expectations, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Attachment } from '../../services/template/attachment-pod.ts'
import type { OwnWrites } from '../own-writes.ts'
import type { StorageCaches } from '../storage/caches.ts'

/** What the controller works with: caches to look at, a client to write with. */
export interface Deps extends StorageCaches {
  readonly client: KubeClient
  /** With index `byVmi`. */
  readonly migrations: Lister<VirtualMachineInstanceMigration>
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index `byVmiUid`. */
  readonly pods: Lister<Pod>
  /** Pods that hold volumes for launchers, with index `byLauncherUid`. */
  readonly attachments: Lister<Pod>
  readonly nodes: Lister<Node>
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>>
  readonly configuration: () => KubeVirtConfiguration
  /** The launcher pod of a VMI; throws where the spec cannot be rendered. */
  readonly render: (vmi: VirtualMachineInstance) => Pod
  /** Of pods beside a launcher. */
  readonly settings: Attachment['settings']
  readonly events: Pick<EventRecorder, 'event'>
  readonly expectations: Expectations
  readonly ownWrites: OwnWrites
  /** Of VMIs: who acts on one from before its hand-over takes a move for not begun that the nodes work on. */
  readonly vmiWrites: OwnWrites
  /** UIDs of migrations whose target pod was asked for, until their phase tells so. */
  readonly started: Set<string>
  readonly now: () => Date
}
