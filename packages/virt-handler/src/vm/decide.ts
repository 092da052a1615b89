import type { Domain } from '@kubevirt-ts/domain'
import { hasEnded } from '../launcher-clients/domain-cache.ts'
import type { Seen } from './seen.ts'

/**
 * `update`: bring the guest to what the VMI says. `shutdown`: ask it to end, then end it. `kill`: end it now.
 * `clean-up`: it has ended, remove what it left on the node. `ask`: whether there is a guest is not known, so find out.
 * `start-early`: make the guest, but do not let it run yet. `await`: look again later whether its VMI comes here.
 */
export type Action = 'ignore' | 'ask' | 'start-early' | 'await' | 'update' | 'shutdown' | 'kill' | 'clean-up'

const aliveStates: ReadonlySet<string> = new Set(['Running', 'Blocked', 'Paused', 'Shutdown', 'PMSuspended'])

/** Whether there is a guest that can still be asked to end. */
export function isGuestAlive({ domain, launcher }: Pick<Seen, 'domain' | 'launcher'>): boolean {
  return launcher !== 'dead' && domain !== undefined && aliveStates.has(domain.status.status)
}

/** What to do about a guest; the first line that fits counts. */
export function decide(seen: Seen): Action {
  const { vmi, domain, launcher, known } = seen
  const alive = isGuestAlive(seen)
  // Two of a guest must never run: the one that its VMI does not speak of goes.
  if (seen.moved === true) return !alive ? 'clean-up' : isMoving(domain) ? 'ignore' : 'kill'
  const phase = vmi?.status?.phase ?? ''
  const final = phase === 'Succeeded' || phase === 'Failed'
  const going = vmi === undefined || vmi.metadata.deletionTimestamp !== undefined
  if ((going || final) && !known) return 'ignore'
  // Before the launcher has spoken, a guest may be running: cleaning up would pull its disks away.
  if ((going || final) && launcher === 'up' && !seen.domainKnown) return 'ask'
  if (final) return alive ? 'kill' : 'clean-up'
  // A guest that never ran has nothing to shut down.
  const ending = phase === 'Scheduling' ? 'kill' : 'shutdown'
  if (going || isMarkedForShutdown(domain)) return alive ? ending : 'clean-up'
  if (phase === 'Scheduling') return beforeHandOver(seen)
  if (launcher === 'dead' || (domain !== undefined && hasEnded(domain))) return 'clean-up'
  return phase === 'Scheduled' || phase === 'Running' ? 'update' : 'ignore'
}

/** What ended already is told, and removed, when the VMI comes here or its pod ends. */
function beforeHandOver({ early, known, launcher, domain }: Seen): Action {
  if (launcher === 'dead') return 'clean-up'
  if (early === true && !(domain !== undefined && hasEnded(domain))) return 'start-early'
  return known ? 'await' : 'ignore'
}

/** libvirt itself is about to end what has moved, or to find out that it has not; not so where that is not known. */
function isMoving(domain: Domain | undefined): boolean {
  const migration = domain?.spec?.metadata?.kubevirt?.migration
  return migration !== undefined && migration.endTimestamp === undefined && migration.inDoubt !== 'true'
}

/** The launcher's pod is being stopped: the guest gets its grace period from us, not from the kubelet. */
export function isMarkedForShutdown(domain: Domain | undefined): boolean {
  return domain?.spec?.metadata?.kubevirt?.graceperiod?.markedForGracefulShutdown === 'true'
}
