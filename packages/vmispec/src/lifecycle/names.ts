import { createHash } from 'node:crypto'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'

const longestLabel = 63

/** Name of the libvirt domain of a VMI: `<namespace>_<name>`. */
export function domainName({ metadata }: Pick<VirtualMachineInstance, 'metadata'>): string {
  return `${metadata.namespace ?? 'default'}_${metadata.name}`
}

/** Host name of the guest: the spec's, else the VMI's name up to its first dot, cut to 63 characters. */
export function hostname(vmi: Pick<VirtualMachineInstance, 'metadata' | 'spec'>): string {
  return vmi.spec.hostname || (vmi.metadata.name.split('.')[0] ?? '').slice(0, longestLabel)
}

/** Value of the label `vmi.kubevirt.io/id`: the name, or its first 54 characters and a hash where it is too long for a label. */
export function vmiLabelId(name: string): string {
  if (name.length <= longestLabel) return name
  return `${name.slice(0, 54)}-${createHash('sha1').update(name).digest('hex').slice(0, 8)}`
}
