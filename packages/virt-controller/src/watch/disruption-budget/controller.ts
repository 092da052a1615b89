import { podDisruptionBudgets } from '@kubevirt-ts/api'
import type { PodDisruptionBudget, VirtualMachineInstance } from '@kubevirt-ts/api'
import { controllerOf, keyFor, keyOf, runWorkers } from '@kubevirt-ts/controller'
import type { EventRecorder, Informer, Lister, WorkQueue } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

export interface Deps {
  readonly client: KubeClient
  readonly budgets: Lister<PodDisruptionBudget>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly events: Pick<EventRecorder, 'event'>
}

/** Every budget that a VMI controls wakes its own key. */
export function watchDisruptionBudgets(budgets: Informer<PodDisruptionBudget>, queue: WorkQueue): void {
  budgets.on({
    added: (budget) => {
      if (isLeftOver(budget)) queue.add(keyOf(budget))
    },
  })
}

/**
 * Deletes the budgets that earlier versions made for guests: the eviction webhook protects guests now, and such a
 * budget would block a drain for ever.
 */
export async function reconcile(key: string, { client, budgets, vmis, events }: Deps): Promise<void> {
  const budget = budgets.get(key)
  if (budget === undefined || !isLeftOver(budget) || budget.metadata.deletionTimestamp !== undefined) return
  const { namespace, name, uid } = budget.metadata
  try {
    await client.delete(podDisruptionBudgets, { namespace, name }, { preconditions: { uid } })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  const vmi = vmis.get(keyFor(namespace, controllerOf(budget)?.name ?? ''))
  if (vmi !== undefined) events.event(vmi, 'Normal', 'SuccessfulDelete', `Deleted pod disruption budget ${name}`)
}

function isLeftOver(budget: PodDisruptionBudget): boolean {
  return controllerOf(budget)?.kind === 'VirtualMachineInstance'
}

/** Works on the queue until the signal is aborted. */
export function runDisruptionBudgetController(
  queue: WorkQueue,
  workers: number,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  return runWorkers({ queue, workers, reconcile: (key) => reconcile(key, deps), log, signal })
}
