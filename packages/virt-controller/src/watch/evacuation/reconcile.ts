import { annotation, label, virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import type {
  KubeVirtConfiguration,
  Node,
  Pod,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import { keyOf } from '@kubevirt-ts/controller'
import type { EventRecorder, Expectations, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { isFinished } from '../pod-state.ts'
import { candidates } from './candidates.ts'

export interface Deps {
  readonly client: KubeClient
  readonly nodes: Lister<Node>
  /** With index `byNode`. */
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index `byVmi`. */
  readonly migrations: Lister<VirtualMachineInstanceMigration>
  /** With index `byVmiUid`. */
  readonly pods: Lister<Pod>
  readonly configuration: () => KubeVirtConfiguration
  readonly events: Pick<EventRecorder, 'event'>
  readonly expectations: Expectations
}

/**
 * Looks after one node: asks for a migration of each guest that is to leave it. How many of them run at once is the
 * migration controller's concern.
 */
export async function reconcile(name: string, deps: Deps): Promise<void> {
  if (!deps.expectations.satisfied(name)) return
  const { migrations, evictionStrategy } = deps.configuration()
  const leaving = candidates({
    name,
    node: deps.nodes.get(name),
    vmis: deps.vmis.byIndex('byNode', name),
    drainTaint: migrations?.nodeDrainTaintKey,
    evictionStrategy,
    isMigrating: (vmi) =>
      deps.migrations
        .byIndex('byVmi', keyOf(vmi))
        .some(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed'),
    activePods: ({ metadata }) =>
      deps.pods.byIndex('byVmiUid', metadata.uid ?? '').filter((pod) => !isFinished(pod)).length,
  })
  const results = await Promise.allSettled(leaving.map((vmi) => evacuate(vmi, name, deps)))
  const failed = results.find((result): result is PromiseRejectedResult => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function evacuate(vmi: VirtualMachineInstance, node: string, deps: Deps): Promise<void> {
  const { client, events, expectations } = deps
  expectations.expectCreations(node, 1)
  try {
    const { metadata } = await client.create(virtualMachineInstanceMigrations, migrationFor(vmi, node))
    events.event(vmi, 'Normal', 'SuccessfulCreate', `Created Migration ${metadata.name}`)
  } catch (error) {
    expectations.creationObserved(node)
    const text = error instanceof Error ? error.message : String(error)
    events.event(vmi, 'Warning', 'FailedCreate', `Creating a migration away from node ${node} failed: ${text}`)
    throw error
  }
}

function migrationFor({ metadata }: VirtualMachineInstance, node: string): VirtualMachineInstanceMigration {
  const byDescheduler = metadata.annotations?.[annotation.evictionSource] === 'descheduler'
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: {
      name: '',
      generateName: 'kubevirt-evacuation-',
      namespace: metadata.namespace,
      labels: { [label.vmiName]: metadata.name },
      annotations: { [annotation.evacuationMigration]: node },
    },
    spec: { vmiName: metadata.name, priority: byDescheduler ? 'system-maintenance' : 'system-critical' },
  }
}
