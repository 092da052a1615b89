import type { ControllerRevision, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { controllerOf, keyFor, keyOf, priority, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import type { Deps } from './deps.ts'
import { patiently } from '../lost-race.ts'
import { reconcile } from './reconcile.ts'

/** The value under which index `byVmUid` finds a revision. */
export function vmUidOf(revision: ControllerRevision): readonly string[] {
  const owner = controllerOf(revision)
  return owner?.kind === 'VirtualMachine' ? [owner.uid] : []
}

export interface Watched {
  readonly vms: Informer<VirtualMachine>
  readonly vmis: Informer<VirtualMachineInstance>
  readonly revisions: Informer<ControllerRevision>
}

/** Which objects wake which keys; nothing is decided here. A VMI wakes the VM of its name, whoever owns it. */
export function watchVms(watched: Watched, queue: WorkQueue, { expectations, ownWrites }: Deps): void {
  watched.vms.on({
    added: (vm) => queue.add(keyOf(vm)),
    updated: (_, vm) => queue.add(keyOf(vm), { priority: priority.user }),
    deleted: (vm) => {
      ownWrites.forget(keyOf(vm))
      queue.add(keyOf(vm))
    },
  })
  watched.vmis.on({
    added: (vmi) => {
      expectations.creationObserved(keyOf(vmi))
      queue.add(keyOf(vmi), { priority: priority.user })
    },
    updated: (_, vmi) => {
      if (vmi.metadata.deletionTimestamp !== undefined)
        expectations.deletionObserved(keyOf(vmi), vmi.metadata.uid ?? '')
      queue.add(keyOf(vmi), { priority: priority.user })
    },
    deleted: (vmi) => {
      expectations.deletionObserved(keyOf(vmi), vmi.metadata.uid ?? '')
      queue.add(keyOf(vmi), { priority: priority.user })
    },
  })
  watched.revisions.on({
    added: (revision) => {
      const owner = controllerOf(revision)
      if (owner?.kind === 'VirtualMachine') queue.add(keyFor(revision.metadata.namespace, owner.name))
    },
  })
}

/** Works on the queue until the signal is aborted. */
export function runVmController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (key) => patiently(() => reconcile(key, deps)), log, signal })
}
