import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { toXml } from '@kubevirt-ts/domain'
import { toDomain } from './virtwrap/converter/index.ts'
import type { ConverterContext } from './virtwrap/converter/index.ts'

/** The pure door: what a VMI becomes, without libvirt, files or native code. `virt-render` uses it. */
export type { ConverterContext }

/** The XML of a guest's domain. Pure; throws what `toDomain` throws. */
export function domainXml(vmi: VirtualMachineInstance, context: ConverterContext): string {
  return toXml(toDomain(vmi, context))
}
