import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'

/** One trait of a test object; pieces are applied in the order in which they are given. */
export type VmiPiece = (vmi: VirtualMachineInstance) => void
export type VmPiece = (vm: VirtualMachine) => void
