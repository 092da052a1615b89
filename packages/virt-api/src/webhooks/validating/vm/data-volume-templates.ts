import type { VirtualMachine } from '@kubevirt-ts/api'
import { invalid, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'

interface DataVolumeTemplate {
  readonly metadata?: { readonly name?: string; readonly namespace?: string }
  readonly spec?: {
    readonly source?: object
    readonly sourceRef?: object
    readonly pvc?: object
    readonly storage?: object
  }
}

/** DataVolumes that the VM owns: each named, in the VM's namespace, with one source, one kind of storage, and used. */
export function dataVolumeTemplates(vm: VirtualMachine): Cause[] {
  const templates = (vm.spec.dataVolumeTemplates ?? []) as readonly DataVolumeTemplate[]
  return templates.flatMap((template, index) =>
    templateCauses(template, `spec.dataVolumeTemplate[${index}]`, index, vm),
  )
}

function templateCauses(
  { metadata, spec }: DataVolumeTemplate,
  path: string,
  index: number,
  vm: VirtualMachine,
): Cause[] {
  const name = metadata?.name
  const sources = spec?.source ? Object.keys(spec.source) : undefined
  const used = (vm.spec.template?.spec?.volumes ?? []).some(({ dataVolume, persistentVolumeClaim }) =>
    [dataVolume?.name, persistentVolumeClaim?.claimName].includes(name),
  )
  const elsewhere = metadata?.namespace !== undefined && metadata.namespace !== vm.metadata.namespace
  return [
    ...when(!name, () =>
      required(`${path}.name`, `'name' field must not be empty for DataVolumeTemplate entry ${path}.`),
    ),
    ...when(elsewhere, () =>
      invalid(
        `spec.dataVolumeTemplates[${index}]`,
        `Embedded DataVolume namespace ${metadata!.namespace} differs from VM namespace ${vm.metadata.namespace}; leave it out`,
      ),
    ),
    ...when(Boolean(spec?.pvc && spec.storage), () =>
      invalid(
        `${path}.PVC.Storage`,
        'Duplicate storage definition, both target storage and target pvc defined; keep storage',
      ),
    ),
    ...when(!spec?.pvc && !spec?.storage, () =>
      invalid(`${path}`, 'Missing Data volume PVC or Storage; set spec.storage'),
    ),
    ...when(Boolean(sources) && Boolean(spec?.sourceRef), () =>
      invalid(`${path}.source.sourceRef`, 'source and sourceRef cannot both be set; keep one of them'),
    ),
    ...when(!sources && !spec?.sourceRef, () =>
      invalid(`${path}.source.sourceRef`, 'Data volume should have either source or sourceRef; set one of them'),
    ),
    ...when(sources !== undefined && sources.length !== 1, () =>
      invalid(`${path}.source`, `Multiple or no Data volume sources: ${sources!.join(', ') || 'none'}; keep one`),
    ),
    ...when(Boolean(name) && !used, () =>
      required(
        path,
        `DataVolumeTemplate entry ${path} must be referenced in the VMI template's 'volumes' list; add a dataVolume named ${name}`,
      ),
    ),
  ]
}
