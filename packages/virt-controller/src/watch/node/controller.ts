import type { Node, VirtualMachineInstance } from '@kubevirt-ts/api'
import { runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { reconcile } from './reconcile.ts'
import type { Deps } from './reconcile.ts'
import { heartbeatAnnotation, schedulableLabel } from './responsiveness.ts'

/** The value under which index `byNode` finds a VMI. */
export function nodeOf({ status }: VirtualMachineInstance): readonly string[] {
  return status?.nodeName === undefined ? [] : [status.nodeName]
}

/** Which objects wake which keys. A node is looked at when its agent comes or goes, and by the clock. */
export function watchNodes(nodes: Informer<Node>, vmis: Informer<VirtualMachineInstance>, queue: WorkQueue): void {
  const isNews = ({ metadata: before }: Node, { metadata: after }: Node): boolean =>
    before.labels?.[schedulableLabel] !== after.labels?.[schedulableLabel] ||
    (before.annotations?.[heartbeatAnnotation] === undefined) !==
      (after.annotations?.[heartbeatAnnotation] === undefined)
  nodes.on({
    added: ({ metadata }) => queue.add(metadata.name),
    updated: (before, after) => {
      if (isNews(before, after)) queue.add(after.metadata.name)
    },
    deleted: ({ metadata }) => queue.add(metadata.name),
  })
  vmis.on({
    added: (vmi) => nodeOf(vmi).forEach((name) => queue.add(name)),
    updated: (before, after) => {
      if (before.status?.nodeName !== after.status?.nodeName) nodeOf(after).forEach((name) => queue.add(name))
    },
  })
}

/** Works on the queue until the signal is aborted. */
export function runNodeController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (name) => reconcile(name, deps), log, signal })
}
