import type { KubeVirtConfiguration, VirtualMachineInstance, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

/** The running guest and what its template says now, instance type and preference written out. */
export interface Facts {
  readonly vmi: VirtualMachineInstance
  readonly template: VirtualMachineInstanceSpec
  /** Merged over the defaults. */
  readonly configuration: KubeVirtConfiguration
}

/** The guest's spec after a step, or why the change has to wait for the next start. */
export type StepResult = { readonly spec: VirtualMachineInstanceSpec } | { readonly restart: string }

/** Carries one concern of the template over to the guest's spec. */
export type Step = (spec: VirtualMachineInstanceSpec, facts: Facts) => StepResult

export function isTrue({ status }: VirtualMachineInstance, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false
}

export function isFalse({ status }: VirtualMachineInstance, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === 'False') ?? false
}
