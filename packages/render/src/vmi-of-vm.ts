import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { machineOf, startRevisionName, vmiFromVm } from '@kubevirt-ts/virt-controller/render'
import type { World } from './world.ts'

/** The VMI that a start of the VM makes, before its own admission. Throws, in words, for a VM that is not started. */
export async function vmiOf(vm: VirtualMachine, world: World): Promise<VirtualMachineInstance> {
  const { configuration, context, objects } = world
  const stored = { ...vm, metadata: { ...vm.metadata, uid: vm.metadata.uid ?? context.uid } }
  const resolved = await machineOf(
    stored,
    async ({ kind }, { name, namespace }) =>
      objects.find({ kind, name, ...(namespace !== undefined && { namespace }) }) as never,
  )
  if ('problem' in resolved) throw new Error(resolved.problem.message)
  return vmiFromVm(resolved.machine, { revision: startRevisionName(stored), paused: false, configuration })
}
