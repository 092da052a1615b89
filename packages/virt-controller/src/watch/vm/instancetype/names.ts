import type { VirtualMachine } from '@kubevirt-ts/api'
import { instancetypeReference, preferenceReference } from '@kubevirt-ts/instancetype'

/** The template with annotations that tell users of the guest which instance type and preference made it. */
export function withNames(machine: VirtualMachine, named: VirtualMachine): VirtualMachine {
  const { template } = machine.spec
  const annotations = { ...template.metadata?.annotations, ...namesOf(named) }
  const metadata = { ...template.metadata, annotations }
  return { ...machine, spec: { ...machine.spec, template: { ...template, metadata } } }
}

/** The annotations by which a guest tells them. */
export function namesOf(vm: VirtualMachine): Record<string, string> {
  const entries = [
    ['instancetype', instancetypeReference(vm)] as const,
    ['preference', preferenceReference(vm)] as const,
  ].flatMap(([what, reference]) => {
    if (reference === undefined) return []
    const key = `kubevirt.io/${reference.resource.namespaced ? '' : 'cluster-'}${what}-name`
    return [[key, reference.name] as const]
  })
  return Object.fromEntries(entries)
}
