import { annotation } from '@kubevirt-ts/api'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { canonicalQuantities, dropZeroValues } from '@kubevirt-ts/vmispec'
import type { Referenced } from '../referenced.ts'
import type { Settings } from '../settings.ts'
import { architecture, machineType } from './defaults/architecture.ts'
import { pciTopology } from './pci-topology.ts'
import type { Chance } from './vmi.ts'

/**
 * A VM as it is stored: architecture (of its image, else the cluster's) and machine type (preferred, else the
 * architecture's) always, and an identity of the firmware when it is new, so that the guest keeps it over restarts.
 * The argument is not changed.
 */
export function mutateVm(
  given: VirtualMachine,
  isNew: boolean,
  settings: Settings,
  chance: Chance,
  referenced: Referenced = {},
): VirtualMachine {
  const vm = structuredClone(given)
  if (!vm.spec.template?.spec) return vm
  const domain = (vm.spec.template.spec.domain ??= { devices: {} })
  if (isNew) {
    const firmware = (domain.firmware ??= {})
    firmware.uuid ||= chance.newId()
    firmware.serial ||= chance.newId()
  }
  const draft = { spec: vm.spec.template.spec }
  dropZeroValues(draft.spec)
  canonicalQuantities(draft.spec)
  if (referenced.imageArchitecture) draft.spec.architecture ||= referenced.imageArchitecture
  const preferredMachine = referenced.preference?.machine?.preferredMachineType
  if (preferredMachine && !domain.machine?.type) domain.machine = { type: preferredMachine }
  architecture(draft, settings)
  machineType(draft, settings)
  const topology = pciTopology(draft.spec.architecture, domain.machine?.type)
  if (isNew && topology !== undefined) {
    const metadata = (vm.spec.template.metadata ??= {})
    metadata.annotations = { [annotation.pciTopologyVersion]: topology, ...metadata.annotations }
  }
  return vm
}
