import type { ControllerRevision, VirtualMachine, VirtualMachineInstance, VirtualMachinePool } from '@kubevirt-ts/api'
import { controllerOf, keyFor, keyOf, priority, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { isSelected } from '../label-selector.ts'
import { patiently } from '../lost-race.ts'
import { byOwner } from '../ownership.ts'
import type { Deps } from './deps.ts'
import { reconcile } from './reconcile.ts'

const kind = 'VirtualMachinePool'

/** The values under which index `byPool` finds a VM. */
export const poolOf: (vm: VirtualMachine) => readonly string[] = byOwner(kind)

/** The value under which index `byPoolUid` finds a revision. */
export function poolUidOf(revision: ControllerRevision): readonly string[] {
  const owner = controllerOf(revision)
  return owner?.kind === kind ? [owner.uid] : []
}

export interface Watched {
  readonly pools: Informer<VirtualMachinePool>
  readonly vms: Informer<VirtualMachine>
  readonly vmis: Informer<VirtualMachineInstance>
}

/** Which objects wake which keys; nothing is decided here. A VMI wakes the pool of its VM when it comes or goes. */
export function watchPools(watched: Watched, queue: WorkQueue, { expectations, ownWrites }: Deps): void {
  const { pools, vms, vmis } = watched
  pools.on({
    added: (pool) => queue.add(keyOf(pool)),
    updated: (_, pool) => queue.add(keyOf(pool), { priority: priority.user }),
    deleted: (pool) => {
      ownWrites.forget(keyOf(pool))
      queue.add(keyOf(pool))
    },
  })
  const wakeSelecting = ({ metadata }: VirtualMachine): void => {
    for (const pool of pools.list()) {
      const near = pool.metadata.namespace === metadata.namespace
      if (near && isSelected(pool.spec.selector, metadata.labels)) queue.add(keyOf(pool))
    }
  }
  const wake = (vm: VirtualMachine): string | undefined => {
    const owner = controllerOf(vm)
    if (owner === undefined) wakeSelecting(vm)
    if (owner?.kind !== kind) return undefined
    const key = keyFor(vm.metadata.namespace, owner.name)
    queue.add(key)
    return key
  }
  const wakeForgetting = (vm: VirtualMachine): void => {
    const key = wake(vm)
    if (key !== undefined) expectations.deletionObserved(key, vm.metadata.uid ?? '')
  }
  vms.on({
    added: (vm) => {
      const key = wake(vm)
      if (key !== undefined) expectations.creationObserved(key)
    },
    updated: (before, vm) => {
      if (controllerOf(before)?.uid !== controllerOf(vm)?.uid) wake(before)
      if (vm.metadata.deletionTimestamp === undefined) wake(vm)
      else wakeForgetting(vm)
    },
    deleted: wakeForgetting,
  })
  const wakeByGuest = (vmi: VirtualMachineInstance): void => {
    const vm = vms.get(keyOf(vmi))
    if (vm !== undefined && controllerOf(vm)?.kind === kind) wake(vm)
  }
  vmis.on({ added: wakeByGuest, deleted: wakeByGuest })
}

/** Works on the queue until the signal is aborted. */
export function runPoolController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (key) => patiently(() => reconcile(key, deps)), log, signal })
}
