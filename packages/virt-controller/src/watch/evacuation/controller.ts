import { annotation } from '@kubevirt-ts/api'
import type { Node, VirtualMachineInstance, VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { keyFor, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { isSameJson } from '../same.ts'
import { reconcile } from './reconcile.ts'
import type { Deps } from './reconcile.ts'

export interface Watched {
  readonly nodes: Informer<Node>
  readonly vmis: Informer<VirtualMachineInstance>
  readonly migrations: Informer<VirtualMachineInstanceMigration>
}

/** Which objects wake which keys; a key is the name of a node. */
export function watchEvacuations(watched: Watched, queue: WorkQueue, { expectations }: Deps): void {
  const { nodes, vmis, migrations } = watched
  nodes.on({
    added: ({ metadata }) => queue.add(metadata.name),
    updated: (before, after) => {
      if (!isSameJson(before.spec?.taints, after.spec?.taints)) queue.add(after.metadata.name)
    },
  })
  const wakeNode = (vmi: VirtualMachineInstance | undefined): void => {
    if (vmi?.status?.nodeName !== undefined) queue.add(vmi.status.nodeName)
  }
  vmis.on({
    updated: (before, after) => {
      if (isNews(before, after)) wakeNode(after)
    },
  })
  const wakeOf = ({ metadata, spec }: VirtualMachineInstanceMigration): void =>
    wakeNode(vmis.get(keyFor(metadata.namespace, spec.vmiName ?? '')))
  migrations.on({
    added: ({ metadata }) => {
      const node = metadata.annotations?.[annotation.evacuationMigration]
      if (node === undefined) return
      expectations.creationObserved(node)
      queue.add(node)
    },
    updated: (before, after) => {
      if (before.status?.phase !== after.status?.phase) wakeOf(after)
    },
    deleted: wakeOf,
  })
}

/** Only these parts of a VMI decide whether it has to leave. */
function isNews({ status: before }: VirtualMachineInstance, { status: after }: VirtualMachineInstance): boolean {
  const parts = (status: typeof before): unknown[] => [
    status?.phase,
    status?.nodeName,
    status?.evacuationNodeName,
    status?.conditions?.find(({ type }) => type === 'LiveMigratable')?.status,
    Object.keys(status?.activePods ?? {}).length,
  ]
  return !isSameJson(parts(before), parts(after))
}

/** Works on the queue until the signal is aborted. */
export function runEvacuationController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (name) => reconcile(name, deps), log, signal })
}
