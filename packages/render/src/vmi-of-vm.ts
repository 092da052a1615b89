import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { startRevisionName, vmiFromVm } from '@kubevirt-ts/virt-controller/render'
import type { World } from './world.ts'

/** The VMI that a start of the VM makes, before its own admission. Throws, in words, for a VM that is not started. */
export function vmiOf(vm: VirtualMachine, { configuration, context }: World): VirtualMachineInstance {
  if (vm.spec.instancetype !== undefined || vm.spec.preference !== undefined) {
    throw new Error(
      `VirtualMachine ${vm.metadata.name} names an instance type or preference, which this version cannot resolve; write the values into spec.template`,
    )
  }
  const stored = { ...vm, metadata: { ...vm.metadata, uid: vm.metadata.uid ?? context.uid } }
  return vmiFromVm(stored, { revision: startRevisionName(stored), paused: false, configuration })
}
