import type { ObjectMeta, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import type { Settings } from '../settings.ts'
import type { Cause } from './cause.ts'

/** A VMI's spec, alone or as a VM's template, with the path under which the user knows it. */
export interface Subject {
  readonly spec: VirtualMachineInstanceSpec
  /** `spec`, or `spec.template.spec` in a VM. */
  readonly field: string
  readonly metadata: Partial<ObjectMeta>
  /** `metadata`, or `spec.template.metadata` in a VM. */
  readonly metadataField: string
  readonly settings: Settings
  /** Whether one of KubeVirt's own service accounts asks. */
  readonly byKubeVirt: boolean
}

/** What one noun of a spec must be like: nothing when all is well. A rule is pure and never throws. */
export type Rule = (subject: Subject) => Cause[]
