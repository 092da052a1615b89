import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { type Informer, type Reconcile, runWorkers, type WorkQueue } from '@kubevirt-ts/controller'
import { type Guest, guestKey, parseGuestKey, vmiKey } from '../launcher-clients/guest.ts'
import type { MigrationDeps } from './deps.ts'
import { receive } from './target.ts'
import { send } from './source.ts'

export interface Watched {
  readonly vmis: Pick<Informer<VirtualMachineInstance>, 'on' | 'synced'>
  readonly targets: Pick<Informer<VirtualMachineInstance>, 'on' | 'synced'>
}

/** Guests that move at the same time, both ways. */
const workers = 5

/** Which objects wake which guests. The answer wakes one by hand: for what launchers tell. */
export function wakeMigrations({ vmis, targets }: Watched, queue: WorkQueue): (guest: Guest) => void {
  const wake = (guest: Guest): void => queue.add(guestKey(guest))
  const wakeVmi = ({ metadata, status }: VirtualMachineInstance): void => {
    if (status?.migrationState === undefined) return
    wake({ namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' })
  }
  for (const informer of [vmis, targets])
    informer.on({ added: wakeVmi, updated: (_, vmi) => wakeVmi(vmi), deleted: wakeVmi })
  return wake
}

/** One step for one guest on its way, at this end of it. */
export function migrationReconciler(deps: MigrationDeps): Reconcile {
  return async (key) => {
    const guest = parseGuestKey(key)
    const own = same(deps.vmis.get(vmiKey(guest)), guest)
    const coming = same(deps.targets.get(vmiKey(guest)), guest)
    const sent = await send(own, guest, deps)
    const received = await receive(coming, guest, deps)
    return { ...sent, ...received }
  }
}

const same = (vmi: VirtualMachineInstance | undefined, { uid }: Guest): VirtualMachineInstance | undefined =>
  vmi?.metadata.uid === uid ? vmi : undefined

/** Works on migrations until the signal is aborted. */
export async function runMigrations(
  { vmis, targets }: Watched,
  queue: WorkQueue,
  deps: MigrationDeps,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([vmis.synced, targets.synced])
  if (signal.aborted) return
  await runWorkers({ queue, workers, reconcile: migrationReconciler(deps), log: deps.log, signal })
}
