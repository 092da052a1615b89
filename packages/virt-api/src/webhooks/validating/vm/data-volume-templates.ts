import type { VirtualMachine } from '@kubevirt-ts/api'
import { invalid, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'

/** The claim that is made; filled from outside CDI when it names a data source itself. */
interface Storage {
  readonly dataSource?: object
  readonly dataSourceRef?: object
}

interface DataVolumeTemplate {
  readonly metadata?: { readonly name?: string; readonly namespace?: string }
  readonly spec?: {
    readonly source?: object
    readonly sourceRef?: object
    readonly pvc?: Storage
    readonly storage?: Storage
  }
}

/** DataVolumes that the VM owns: each named, in the VM's namespace, with one source, one kind of storage, and used. */
export function dataVolumeTemplates(vm: VirtualMachine): Cause[] {
  const templates = (vm.spec.dataVolumeTemplates ?? []) as readonly DataVolumeTemplate[]
  return templates.flatMap((template, index) => {
    const path = `spec.dataVolumeTemplate[${index}]`
    const first = malformed(template, path) ?? unused(template, path, vm)
    return [...when(first !== undefined, () => first!), ...elsewhere(template, index, vm)]
  })
}

/** The first thing that is wrong with a template by itself. */
function malformed({ metadata, spec }: DataVolumeTemplate, path: string): Cause | undefined {
  if (!metadata?.name)
    return required(`${path}.name`, `'name' field must not be empty for DataVolumeTemplate entry ${path}.`)
  if (!spec?.pvc && !spec?.storage)
    return invalid(`${path}.PVC.Storage`, 'Missing Data volume PVC or Storage; set spec.storage')
  if (spec.pvc && spec.storage) {
    return invalid(
      `${path}.PVC.Storage`,
      'Duplicate storage definition, both target storage and target pvc defined; keep storage',
    )
  }
  return badSource(spec, path)
}

function badSource(
  { pvc, storage, source, sourceRef }: NonNullable<DataVolumeTemplate['spec']>,
  path: string,
): Cause | undefined {
  const { dataSource, dataSourceRef } = pvc ?? storage ?? {}
  const filledElsewhere = Boolean(dataSource ?? dataSourceRef)
  const filled = Boolean(source ?? sourceRef)
  if (filledElsewhere && filled) {
    return invalid(
      `${path}.source`,
      'External population is incompatible with source and sourceRef; keep one of dataSource, source and sourceRef',
    )
  }
  if (!filledElsewhere && !filled) {
    return invalid(
      `${path}.source.sourceRef`,
      'Data volume should have either source, sourceRef, or be externally populated; set one of them',
    )
  }
  const sources = source && Object.keys(source)
  return sources && sources.length !== 1
    ? invalid(`${path}.source`, `Multiple or no Data volume sources: ${sources.join(', ') || 'none'}; keep one`)
    : undefined
}

function unused({ metadata }: DataVolumeTemplate, path: string, vm: VirtualMachine): Cause | undefined {
  const name = metadata?.name
  const used = (vm.spec.template?.spec?.volumes ?? []).some(({ dataVolume, persistentVolumeClaim }) =>
    [dataVolume?.name, persistentVolumeClaim?.claimName].includes(name),
  )
  return used
    ? undefined
    : required(
        path,
        `DataVolumeTemplate entry ${path} must be referenced in the VMI template's 'volumes' list; add a dataVolume named ${name}`,
      )
}

const elsewhere = ({ metadata }: DataVolumeTemplate, index: number, vm: VirtualMachine): Cause[] =>
  when(metadata?.namespace !== undefined && metadata.namespace !== vm.metadata.namespace, () =>
    invalid(
      `spec.dataVolumeTemplates[${index}]`,
      `Embedded DataVolume namespace ${metadata!.namespace} differs from VM namespace ${vm.metadata.namespace}; leave it out`,
    ),
  )
