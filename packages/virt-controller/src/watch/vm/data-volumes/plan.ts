import { annotation, label, virtualMachines } from '@kubevirt-ts/api'
import type { DataVolume, DataVolumeTemplateSpec, VirtualMachine } from '@kubevirt-ts/api'
import { controllerOf, ownerReferenceTo } from '@kubevirt-ts/controller'
import { isAlive } from '../seen.ts'
import type { Seen } from '../seen.ts'

export interface DataVolumePlan {
  readonly create: readonly DataVolume[]
  /** Of the template's name, but nobody's yet. */
  readonly adopt: readonly DataVolume[]
}

const nothing: DataVolumePlan = { create: [], adopt: [] }

/**
 * The DataVolumes that the VM's templates ask for and that are not there. A claim of the name without a DataVolume was
 * filled before. Where the user says so they are only made for a start.
 */
export function dataVolumePlan(seen: Seen, startWanted: boolean): DataVolumePlan {
  const { vm, vmi } = seen
  const templates = vm.spec.dataVolumeTemplates ?? []
  if (templates.length === 0 || vm.metadata.deletionTimestamp !== undefined || !seen.dataVolumesSettled) return nothing
  const isDeferred = vm.metadata.annotations?.[annotation.immediateDataVolumeCreation] === 'false'
  const isMissing = ({ metadata }: DataVolumeTemplateSpec): boolean =>
    seen.dataVolume(metadata.name) === undefined && seen.claim(metadata.name) === undefined
  const present = templates.flatMap(({ metadata }) => seen.dataVolume(metadata.name) ?? [])
  return {
    create: isDeferred && !startWanted && !isAlive(vmi) ? [] : templates.filter(isMissing).map((t) => madeFor(vm, t)),
    adopt: present.filter((each) => controllerOf(each) === undefined && each.metadata.deletionTimestamp === undefined),
  }
}

function madeFor(vm: VirtualMachine, { metadata, spec }: DataVolumeTemplateSpec): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name: metadata.name,
      namespace: vm.metadata.namespace,
      labels: { ...metadata.labels, [label.createdBy]: vm.metadata.uid ?? '' },
      annotations: { ...metadata.annotations, 'cdi.kubevirt.io/allowClaimAdoption': 'true' },
      ownerReferences: [ownerReferenceTo(vm, virtualMachines)],
    },
    spec,
  }
}
