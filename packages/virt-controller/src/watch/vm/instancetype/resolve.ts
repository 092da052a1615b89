import type { VirtualMachine } from '@kubevirt-ts/api'
import { find } from '@kubevirt-ts/instancetype'
import type { Deps } from '../deps.ts'
import { reason } from '../reasons.ts'
import type { Problem } from '../reasons.ts'
import type { Seen } from '../seen.ts'
import { keepCopies } from './copies.ts'
import type { References } from './copies.ts'
import { lookupWith } from './lookup.ts'
import { missing, written } from './machine.ts'

/** What the instance type and the preference of a VM make of it. */
export interface Resolved {
  /** The VM with both written out, where it names any and was asked to start. */
  readonly machine?: VirtualMachine
  /** For the status: the copies in use. */
  readonly references?: References
  readonly problem?: Problem
}

/**
 * Reads what the VM names, keeps a copy of it, and for a start writes it out. A VM that names nothing, or whose copies
 * are known while it need not start, costs nothing. Nothing is thrown.
 */
export async function resolve(seen: Seen, isStart: boolean, deps: Deps): Promise<Resolved> {
  const { vm } = seen
  const names = vm.spec.instancetype !== undefined || vm.spec.preference !== undefined
  if (!names || vm.metadata.deletionTimestamp !== undefined) return {}
  if (!isStart && hasCopies(vm)) return {}
  const resolved = await attempt(seen, deps)
  if (resolved.problem !== undefined) tell(seen, resolved.problem, deps)
  return resolved
}

async function attempt({ vm }: Seen, deps: Deps): Promise<Resolved> {
  try {
    const found = await find(vm, lookupWith(deps))
    if (found.missing !== undefined) return { problem: missing(vm, found.missing) }
    const references = await keepCopies(vm, found, deps)
    return { references, ...written(vm, found) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { problem: { reason: reason.instancetypeNotFound, message, retry: true } }
  }
}

function hasCopies({ spec, status }: VirtualMachine): boolean {
  const kept = (named: { readonly name?: string } | undefined, known: { readonly name?: string } | undefined) =>
    !named?.name || named.name === known?.name
  return kept(spec.instancetype, status?.instancetypeRef) && kept(spec.preference, status?.preferenceRef)
}

/** An event once for each new problem; its repetitions are in the condition. */
function tell({ vm }: Seen, { reason: why, message }: Problem, { events }: Deps): void {
  const known = vm.status?.conditions?.find(({ type }) => type === 'Failure')
  if (known?.message !== message) events.event(vm, 'Warning', why, message)
}
