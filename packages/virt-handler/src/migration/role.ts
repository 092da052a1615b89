import type { VirtualMachineInstance, VirtualMachineInstanceMigrationState } from '@kubevirt-ts/api'

/** The migration of a guest that is handed to the nodes and has not ended. */
export function underWay({ status }: VirtualMachineInstance): VirtualMachineInstanceMigrationState | undefined {
  const state = status?.migrationState
  if (state?.migrationUid === undefined || state.completed === true || state.failed === true) return undefined
  return state
}

/** Whether this node is to receive the guest, or has not yet said that it has. */
export function isTarget(vmi: VirtualMachineInstance, node: string): boolean {
  return underWay(vmi)?.targetNode === node && vmi.status?.nodeName !== node
}

/** Whether the guest is about to leave this node: until that has ended, nobody else may touch it. */
export function isLeaving(vmi: VirtualMachineInstance, node: string): boolean {
  const state = underWay(vmi)
  return state?.sourceNode === node && vmi.status?.nodeName === node && state.targetNodeAddress !== undefined
}
