import type { VirtualMachineInstance, VirtualMachineInstanceMigrationState } from '@kubevirt-ts/api'

/** The VMI with more of its migration's state. */
export function withState(
  vmi: VirtualMachineInstance,
  more: VirtualMachineInstanceMigrationState,
): VirtualMachineInstance {
  return { ...vmi, status: { ...vmi.status, migrationState: { ...vmi.status?.migrationState, ...more } } }
}

/** RFC 3339, by the second as Kubernetes writes it. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
