import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Settings } from '../../settings.ts'

/** A VMI, or a VM's template, that the caller owns and that is being filled in. */
export type Draft = Pick<VirtualMachineInstance, 'spec' | 'status'>

/** Fills in one noun's missing fields. What the user gave is never changed. */
export type Default = (draft: Draft, settings: Settings) => void
