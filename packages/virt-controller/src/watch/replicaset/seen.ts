import type { VirtualMachineInstance, VirtualMachineInstanceReplicaSet } from '@kubevirt-ts/api'

/** All that a step may look at. Nothing here is written to. */
export interface Seen {
  readonly set: VirtualMachineInstanceReplicaSet
  /** The VMIs that the set controls and selects. */
  readonly members: readonly VirtualMachineInstance[]
  readonly now: Date
}

export function isFinal({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}

export function isReady({ status }: VirtualMachineInstance): boolean {
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false
}

export function isDeleting({ metadata }: VirtualMachineInstance): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Members that count as replicas: those that are not over. */
export function active({ members }: Pick<Seen, 'members'>): readonly VirtualMachineInstance[] {
  return members.filter((vmi) => !isFinal(vmi))
}
