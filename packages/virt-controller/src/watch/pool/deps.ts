import type { ControllerRevision, VirtualMachine, VirtualMachineInstance, VirtualMachinePool } from '@kubevirt-ts/api'
import type { EventRecorder, Expectations, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { OwnWrites } from '../own-writes.ts'

/** What the controller works with: caches to look at, a client to write with. */
export interface Deps {
  readonly client: KubeClient
  readonly pools: Lister<VirtualMachinePool>
  /** With index `byPool`. */
  readonly vms: Lister<VirtualMachine>
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index `byPoolUid`. */
  readonly revisions: Lister<ControllerRevision>
  readonly events: Pick<EventRecorder, 'event'>
  readonly expectations: Expectations
  readonly ownWrites: OwnWrites
  readonly now: () => Date
  readonly random: () => number
}
