import { annotation, label } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { keyFor, keyOf, priority, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { patiently } from '../lost-race.ts'
import type { Deps } from './deps.ts'
import { reconcile } from './reconcile.ts'

/** The value under which index `byVmi` finds a migration: `namespace/name` of its VMI. */
export function vmiKeyOf({ metadata, spec }: VirtualMachineInstanceMigration): readonly string[] {
  return [keyFor(metadata.namespace, spec.vmiName ?? '')]
}

export interface Watched {
  readonly migrations: Informer<VirtualMachineInstanceMigration>
  readonly vmis: Informer<VirtualMachineInstance>
  readonly pods: Informer<Pod>
  readonly attachments: Informer<Pod>
}

/** Which objects wake which keys; nothing is decided here. */
export function watchMigrations(watched: Watched, queue: WorkQueue, deps: Deps): void {
  const { migrations, vmis, pods, attachments } = watched
  migrations.on({
    added: (migration) => queue.add(keyOf(migration)),
    updated: (_, migration) => queue.add(keyOf(migration), { priority: priority.user }),
    deleted: (migration) => {
      deps.ownWrites.forget(keyOf(migration))
      deps.started.delete(migration.metadata.uid ?? '')
      queue.add(keyOf(migration))
    },
  })
  const wakeOfVmi = (vmi: VirtualMachineInstance): void => {
    for (const migration of migrations.byIndex('byVmi', keyOf(vmi))) queue.add(keyOf(migration))
  }
  vmis.on({
    added: wakeOfVmi,
    updated: (_, vmi) => wakeOfVmi(vmi),
    deleted: (vmi) => {
      deps.vmiWrites.forget(keyOf(vmi))
      wakeOfVmi(vmi)
    },
  })
  // The pod's annotations are not kept in the cache, so its migration is found by the UID on its label.
  const wakeOfPod = ({ metadata }: Pod): string | undefined => {
    const uid = metadata.labels?.[label.migrationJobUid]
    if (uid === undefined) return undefined
    const migration = migrations.list().find((each) => each.metadata.uid === uid)
    if (migration === undefined) return undefined
    queue.add(keyOf(migration), { priority: priority.user })
    return keyOf(migration)
  }
  pods.on({
    added: (pod) => {
      const key = wakeOfPod(pod)
      if (key !== undefined) deps.expectations.creationObserved(key)
    },
    updated: (_, pod) => void wakeOfPod(pod),
    deleted: (pod) => void wakeOfPod(pod),
  })
  const wakeOfGuest = ({ metadata }: Pod): void => {
    const guest = keyFor(metadata.namespace, metadata.annotations?.[annotation.ownerVmiName] ?? '')
    for (const migration of migrations.byIndex('byVmi', guest)) queue.add(keyOf(migration))
  }
  attachments.on({ added: wakeOfGuest, updated: (_, pod) => wakeOfGuest(pod), deleted: wakeOfGuest })
}

/** Works on the queue until the signal is aborted. */
export function runMigrationController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (key) => patiently(() => reconcile(key, deps)), log, signal })
}
