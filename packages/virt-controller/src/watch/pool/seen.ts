import type { ControllerRevision, VirtualMachine, VirtualMachineInstance, VirtualMachinePool } from '@kubevirt-ts/api'

/** All that a step may look at. Nothing here is written to. */
export interface Seen {
  readonly pool: VirtualMachinePool
  /** The VMs that the pool controls and selects. */
  readonly members: readonly VirtualMachine[]
  /** The VMI that a member controls. */
  readonly vmiOf: (vm: VirtualMachine) => VirtualMachineInstance | undefined
  /** The templates that members were made from. */
  readonly revisions: readonly ControllerRevision[]
  /** Whether a VM of this name exists in the pool's namespace, whoever owns it. */
  readonly isTaken: (name: string) => boolean
  readonly now: Date
  /** In [0, 1). */
  readonly random: () => number
}

export function isReady({ status }: VirtualMachine): boolean {
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false
}

export function isDeleting({ metadata }: { readonly metadata: VirtualMachine['metadata'] }): boolean {
  return metadata.deletionTimestamp !== undefined
}
