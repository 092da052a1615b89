import { migrationDoubtOf, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Domain } from '@kubevirt-ts/domain'
import { hasEnded } from '../launcher-clients/domain-cache.ts'
import { isGuestAlive } from './decide.ts'
import type { Seen } from './seen.ts'

export interface Verdict {
  readonly phase: string
  /** Why the VMI failed. */
  readonly reason?: string
}

type SeenGuest = Seen & { readonly vmi: VirtualMachineInstance }

/** The phase that a VMI of this node should be in. Only `Scheduled` and `Running` are this node's to end. */
export function verdictOf(seen: SeenGuest): Verdict {
  const { vmi, domain, domainKnown, launcher } = seen
  const phase = vmi.status?.phase ?? ''
  if (phase !== 'Scheduled' && phase !== 'Running') return { phase }
  if (domain !== undefined && hasEnded(domain)) return endOf(vmi, domain, phase)
  if (launcher === 'dead') return { phase: 'Failed', reason: 'LauncherGone' }
  if (domain !== undefined && isTorn(domain)) return { phase: 'Failed', reason: 'PostcopyFailed' }
  if (isGuestAlive(seen) && !(domain !== undefined && isStartingUp(domain))) return { phase: 'Running' }
  if (domain === undefined && domainKnown && phase === 'Running') return { phase: 'Failed', reason: 'DomainGone' }
  return { phase }
}

/** QEMU may still refuse what it is asked for. */
function isStartingUp({ status }: Domain): boolean {
  return status.status === 'Paused' && status.reason === 'StartingUp'
}

/** Its memory lies in two places that do not find together any more: it never runs again. */
function isTorn({ status }: Domain): boolean {
  return status.status === 'Paused' && status.reason === 'PostcopyFailed'
}

/** A move left it where nobody has it any more: its target ended with it, or may have. */
const lostAtTarget: Verdict = { phase: 'Failed', reason: 'LostAtTarget' }

function endOf(vmi: VirtualMachineInstance, { status }: Domain, phase: string): Verdict {
  const { migrationUid, failed } = vmi.status?.migrationState ?? {}
  if (status.status === 'Crashed')
    return { phase: 'Failed', reason: status.reason === 'Panicked' ? 'Panicked' : 'Crashed' }
  switch (status.reason) {
    case 'Shutdown':
    case 'Saved':
    case 'FromSnapshot':
      return { phase: 'Succeeded' }
    case 'Destroyed':
      if (migrationDoubtOf(vmi.metadata, migrationUid) === 'lost') return lostAtTarget
      return expectsGracefulEnd(vmi) ? { phase: 'Failed', reason: 'Destroyed' } : { phase: 'Succeeded' }
    case 'Migrated':
      return failed === true ? lostAtTarget : { phase }
    case 'Failed':
      return { phase: 'Failed', reason: phase === 'Scheduled' ? 'GuestNotStarted' : 'Failed' }
    default:
      return { phase: 'Failed', reason: status.reason }
  }
}

/** A guest that can be asked to power off and has time for it is not supposed to be destroyed. */
function expectsGracefulEnd({ spec }: VirtualMachineInstance): boolean {
  const acpi = spec.domain.features?.acpi?.enabled !== false
  return acpi && spec.terminationGracePeriodSeconds !== 0
}
