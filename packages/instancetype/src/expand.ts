import type { Disk, VirtualMachine, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { applyTo } from './apply.ts'
import type { Found } from './find.ts'

/** The VM without references, or the fields that conflict. */
export type Expanded =
  | { readonly vm: VirtualMachine; readonly conflicts?: undefined }
  | { readonly conflicts: readonly string[] }

/** The VM as if its instance type and preference were written out in its template; it names neither any more. */
export function expand(vm: VirtualMachine, { instancetype, preference }: Found): Expanded {
  const { instancetype: _i, preference: _p, ...spec } = vm.spec
  const { template } = spec
  if (template.spec === undefined || (instancetype === undefined && preference === undefined)) {
    return { vm: { ...vm, spec: { ...spec, template: structuredClone(template) } } }
  }
  const subject = { ...template, spec: withDisks(template.spec) }
  const applied = applyTo(subject, {
    ...(instancetype === undefined ? {} : { instancetype }),
    ...(preference === undefined ? {} : { preference }),
  })
  if (applied.conflicts !== undefined) return applied
  const metadata = Object.keys(applied.metadata).length === 0 ? template.metadata : applied.metadata
  const expanded = { ...template, spec: applied.spec, ...(metadata === undefined ? {} : { metadata }) }
  return { vm: { ...vm, spec: { ...spec, template: expanded } } }
}

/** Every volume with its disk, so that wishes about disks reach those that the template leaves out. */
function withDisks(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { devices } = spec.domain
  const named = new Set([...(devices.disks ?? []), ...(devices.filesystems ?? [])].map(({ name }) => name))
  const missing: Disk[] = (spec.volumes ?? []).filter(({ name }) => !named.has(name)).map(({ name }) => ({ name }))
  if (missing.length === 0) return spec
  const disks = [...(devices.disks ?? []), ...missing]
  return { ...spec, domain: { ...spec.domain, devices: { ...devices, disks } } }
}
