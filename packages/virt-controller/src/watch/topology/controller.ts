import { nodes as nodeResource } from '@kubevirt-ts/api'
import type { KubeVirtConfiguration, Node, VirtualMachineInstance } from '@kubevirt-ts/api'
import { runWorkers } from '@kubevirt-ts/controller'
import type { Lister, WorkQueue } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { frequenciesInUse, labelChanges, lowestFrequency } from './frequencies.ts'

export interface Deps {
  readonly client: KubeClient
  readonly nodes: Lister<Node>
  readonly vmis: Lister<VirtualMachineInstance>
  readonly configuration: () => KubeVirtConfiguration
  /** Milliseconds between two looks at all nodes. */
  readonly periodMs: number
  /** In [0, 1). */
  readonly random: () => number
}

/** All nodes are looked at together. */
const key = 'nodes'
/** So much longer than the period a look may come, so that not all such loops of a cluster beat together. */
const jitter = 0.2

/** Labels nodes with the frequencies that guests of the cluster see, until the signal is aborted. */
export function runTopologyUpdater(queue: WorkQueue, deps: Deps, log: Logger, signal: AbortSignal): Promise<void> {
  queue.add(key)
  const look = async (): Promise<{ requeueAfter: number }> => {
    await updateNodes(deps)
    return { requeueAfter: deps.periodMs * (1 + deps.random() * jitter) }
  }
  return runWorkers({ queue, workers: 1, reconcile: look, log, signal })
}

export async function updateNodes({ client, nodes, vmis, configuration }: Deps): Promise<void> {
  const all = nodes.list()
  const inUse = frequenciesInUse(vmis.list(), lowestFrequency(all, configuration()))
  for (const node of all) {
    const labels = labelChanges(node, inUse)
    if (Object.keys(labels).length === 0) continue
    try {
      await client.patch(nodeResource, { name: node.metadata.name }, { metadata: { labels } }, { type: 'merge' })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
