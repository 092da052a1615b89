import { virtualMachines } from '@kubevirt-ts/api'
import type { ControllerRevision, VirtualMachine, VirtualMachineInstance, VirtualMachineSpec } from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller/owner'

const prefix = 'revision-start-vm-'

export function startRevisionName(vm: VirtualMachine): string {
  return `${prefix}${vm.metadata.uid}-${vm.metadata.generation ?? 0}`
}

/** The spec that a start uses, kept so that later changes can be compared with it. */
export function startRevision(vm: VirtualMachine): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: startRevisionName(vm),
      namespace: vm.metadata.namespace,
      ownerReferences: [ownerReferenceTo(vm, virtualMachines)],
    },
    data: { spec: vm.spec },
    revision: vm.metadata.generation ?? 0,
  }
}

export function isStartRevision(revision: ControllerRevision): boolean {
  return revision.metadata.name?.startsWith(prefix) ?? false
}

export function specOf(revision: ControllerRevision): VirtualMachineSpec | undefined {
  return (revision.data as { spec?: VirtualMachineSpec } | undefined)?.spec
}

/** The VM's generation from which the guest was started, where its revision tells. */
export function startedGeneration({ status }: VirtualMachineInstance): number | undefined {
  const digits = /-(\d+)$/.exec(status?.virtualMachineRevisionName ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}
