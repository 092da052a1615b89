import type { VirtualMachineInstance, VirtualMachineInstanceReplicaSet } from '@kubevirt-ts/api'
import { controllerOf, keyFor, keyOf, priority, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { isSelected } from '../label-selector.ts'
import { patiently } from '../lost-race.ts'
import { byOwner } from '../ownership.ts'
import type { Deps } from './deps.ts'
import { reconcile } from './reconcile.ts'

const kind = 'VirtualMachineInstanceReplicaSet'

/** The values under which index `byReplicaSet` finds a VMI. */
export const replicaSetOf: (vmi: VirtualMachineInstance) => readonly string[] = byOwner(kind)

export interface Watched {
  readonly replicaSets: Informer<VirtualMachineInstanceReplicaSet>
  readonly vmis: Informer<VirtualMachineInstance>
}

/** Which objects wake which keys; nothing is decided here. An orphan wakes every set that selects it. */
export function watchReplicaSets(watched: Watched, queue: WorkQueue, { expectations, ownWrites }: Deps): void {
  const { replicaSets, vmis } = watched
  replicaSets.on({
    added: (set) => queue.add(keyOf(set)),
    updated: (_, set) => queue.add(keyOf(set), { priority: priority.user }),
    deleted: (set) => {
      ownWrites.forget(keyOf(set))
      queue.add(keyOf(set))
    },
  })
  const wake = (vmi: VirtualMachineInstance): string | undefined => {
    const owner = controllerOf(vmi)
    if (owner === undefined) wakeSelecting(vmi)
    if (owner?.kind !== kind) return undefined
    const key = keyFor(vmi.metadata.namespace, owner.name)
    queue.add(key)
    return key
  }
  const wakeSelecting = ({ metadata }: VirtualMachineInstance): void => {
    for (const set of replicaSets.list()) {
      const near = set.metadata.namespace === metadata.namespace
      if (near && isSelected(set.spec.selector, metadata.labels)) queue.add(keyOf(set))
    }
  }
  const wakeForgetting = (vmi: VirtualMachineInstance): void => {
    const key = wake(vmi)
    if (key !== undefined) expectations.deletionObserved(key, vmi.metadata.uid ?? '')
  }
  vmis.on({
    added: (vmi) => {
      const key = wake(vmi)
      if (key !== undefined) expectations.creationObserved(key)
    },
    updated: (before, vmi) => {
      if (controllerOf(before)?.uid !== controllerOf(vmi)?.uid) wake(before)
      if (vmi.metadata.deletionTimestamp === undefined) wake(vmi)
      else wakeForgetting(vmi)
    },
    deleted: wakeForgetting,
  })
}

/** Works on the queue until the signal is aborted. */
export function runReplicaSetController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (key) => patiently(() => reconcile(key, deps)), log, signal })
}
