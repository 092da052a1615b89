import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { startRevisionName, vmiFromVm } from '@kubevirt-ts/virt-controller/render'
import type { World } from './world.ts'

/** The VMI that a start of the VM makes, before its own admission. */
export function vmiOf(vm: VirtualMachine, { configuration, context }: World): VirtualMachineInstance {
  const stored = { ...vm, metadata: { ...vm.metadata, uid: vm.metadata.uid ?? context.uid } }
  return vmiFromVm(stored, { revision: startRevisionName(stored), paused: false, configuration })
}
