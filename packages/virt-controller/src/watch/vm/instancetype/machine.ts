import type { VirtualMachine } from '@kubevirt-ts/api'
import { expand, find } from '@kubevirt-ts/instancetype'
import type { Found, Lookup } from '@kubevirt-ts/instancetype'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import { withNames } from './names.ts'

/** Instance types are not watched, so one that is missing is looked for again after this time. */
const lookAgainMs = 10_000

export type Machine = { readonly machine: VirtualMachine } | { readonly problem: Problem }

/** The VM with its instance type and its preference written out, where it names any. */
export async function machineOf(vm: VirtualMachine, lookup: Lookup): Promise<Machine> {
  if (vm.spec.instancetype === undefined && vm.spec.preference === undefined) return { machine: vm }
  const found = await find(vm, lookup)
  return found.missing === undefined ? written(vm, found) : { problem: missing(vm, found.missing) }
}

/** The VM with what was found of it written out, or why that cannot be. */
export function written(vm: VirtualMachine, found: Found): Machine {
  const expanded = expand(vm, found)
  if (expanded.conflicts === undefined) return { machine: withNames(expanded.vm, vm) }
  const fields = expanded.conflicts.join(', ')
  const message = `VirtualMachine ${nameOf(vm)} sets ${fields} itself, which its instance type sets too; remove them from the template or choose another instance type`
  return { problem: { reason: reason.instancetypeConflict, message, retry: false } }
}

/** What a VM names leads nowhere. */
export function missing(vm: VirtualMachine, { what, name }: NonNullable<Found['missing']>): Problem {
  const message = `${name}, which VirtualMachine ${nameOf(vm)} names as its ${what}, does not exist; create it or name another`
  const why = what === 'instancetype' ? reason.instancetypeNotFound : reason.preferenceNotFound
  return { reason: why, message, retry: false, lookAgainMs }
}

function nameOf({ metadata }: VirtualMachine): string {
  return `${metadata.namespace}/${metadata.name}`
}
