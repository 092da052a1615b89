import type { PersistentVolumeClaim, Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { EventRecorder, Expectations, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { OwnWrites } from '../own-writes.ts'
import type { PodFates } from './pod-fates.ts'

/** What the controller works with: caches to look at, a client to write with. */
export interface Deps {
  readonly client: KubeClient
  readonly vmis: Lister<VirtualMachineInstance>
  readonly vms: Lister<VirtualMachine>
  /** With index `byVmiUid`. */
  readonly pods: Lister<Pod>
  readonly claims: Lister<PersistentVolumeClaim>
  /** The launcher pod of a VMI; throws a VirtError where the spec cannot be rendered. */
  readonly render: (vmi: VirtualMachineInstance) => Pod
  /** What launcher pods of new guests run. */
  readonly launcherImage: string
  readonly events: Pick<EventRecorder, 'event'>
  readonly expectations: Expectations
  readonly ownWrites: OwnWrites
  readonly fates: PodFates
  readonly phaseChanged: (vmi: VirtualMachineInstance, before: string) => void
  readonly now: () => Date
}
