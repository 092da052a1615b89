import type { DaemonSet, Deployment, KubeVirt, VirtualMachineInstance } from '@kubevirt-ts/api'
import { keyOf, runWorkers } from '@kubevirt-ts/controller'
import type { Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { Logger } from '@kubevirt-ts/service'
import { mayCountOtherwise } from '../outdated.ts'
import { reconcile } from './reconcile.ts'
import type { Deps } from './reconcile.ts'

export interface Watched {
  readonly kubeVirts: Informer<KubeVirt>
  readonly deployments: Informer<Deployment>
  readonly daemonSets: Informer<DaemonSet>
  readonly vmis: Informer<VirtualMachineInstance>
}

/** Guests that change are counted together: there may be thousands of them. */
const countMs = 1000

/** Which objects wake which keys: any component's change concerns every KubeVirt resource. */
export function watchKubeVirts(watched: Watched, queue: WorkQueue): void {
  const wakeAll = (): void => watched.kubeVirts.list().forEach((kubeVirt) => queue.add(keyOf(kubeVirt)))
  watched.kubeVirts.on({
    added: (kubeVirt) => queue.add(keyOf(kubeVirt)),
    updated: (_, kubeVirt) => queue.add(keyOf(kubeVirt)),
  })
  watched.deployments.on({ added: wakeAll, updated: wakeAll, deleted: wakeAll })
  watched.daemonSets.on({ added: wakeAll, updated: wakeAll, deleted: wakeAll })
  const countSoon = (): void => watched.kubeVirts.list().forEach((kubeVirt) => queue.addAfter(keyOf(kubeVirt), countMs))
  watched.vmis.on({
    updated: (before, after) => {
      if (mayCountOtherwise(before, after)) countSoon()
    },
    deleted: countSoon,
  })
}

/** Works on the queue until the signal is aborted. */
export function runKubeVirtController(queue: WorkQueue, deps: Deps, log: Logger, signal: AbortSignal): Promise<void> {
  return runWorkers({ queue, workers: 1, reconcile: (key) => reconcile(key, deps), log, signal })
}
