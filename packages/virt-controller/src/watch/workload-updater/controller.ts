import { annotation } from '@kubevirt-ts/api'
import type { KubeVirt, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { hasChange } from './plan.ts'
import { key, reconcile } from './reconcile.ts'
import type { Deps } from './reconcile.ts'

export interface Watched {
  readonly kubeVirts: Informer<KubeVirt>
  readonly vmis: Informer<VirtualMachineInstance>
  readonly migrations: Informer<VirtualMachineInstanceMigration>
}

/** All guests are looked through at once, so many events close together make one look. */
const throttleMs = 5000

/** What makes a look worthwhile; nothing is decided here. */
export function watchWorkloads(watched: Watched, queue: WorkQueue, { expectations }: Deps): void {
  const wake = (): void => queue.addAfter(key, throttleMs)
  watched.kubeVirts.on({ added: wake, updated: wake })
  watched.vmis.on({
    updated: (before, after) => {
      if (hasChange(before) !== hasChange(after)) wake()
    },
  })
  watched.migrations.on({
    added: ({ metadata }) => {
      if (metadata.annotations?.[annotation.workloadUpdateMigration] !== undefined) expectations.creationObserved(key)
    },
    updated: (before, after) => {
      if (before.status?.phase !== after.status?.phase) wake()
    },
    deleted: wake,
  })
}

/** Works on the queue until the signal is aborted. */
export function runWorkloadUpdater(queue: WorkQueue, deps: Deps, log: Logger, signal: AbortSignal): Promise<void> {
  return runWorkers({ queue, workers: 1, reconcile: (each) => reconcile(each, deps), log, signal })
}
