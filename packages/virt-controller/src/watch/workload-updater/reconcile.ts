import { annotation, label, pods, virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import type {
  KubeVirt,
  KubeVirtConfiguration,
  Pod,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import { keyFor, keyOf } from '@kubevirt-ts/controller'
import type { EventRecorder, Expectations, Lister, ReconcileResult } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { millisecondsOf } from '../duration.ts'
import { hasOldLauncher } from '../outdated.ts'
import { isFinished } from '../pod-state.ts'
import { plan } from './plan.ts'

export interface Deps {
  readonly client: KubeClient
  readonly kubeVirt: () => KubeVirt | undefined
  readonly vmis: Lister<VirtualMachineInstance>
  /** With index `byVmi`. */
  readonly migrations: Lister<VirtualMachineInstanceMigration>
  /** With index `byVmiUid`. */
  readonly pods: Lister<Pod>
  readonly configuration: () => KubeVirtConfiguration
  readonly launcherImage: string
  readonly events: Pick<EventRecorder, 'event'>
  readonly expectations: Expectations
  /** When guests were evicted last, in milliseconds of the epoch; 0 before. */
  readonly lastEviction: { at: number }
  readonly now: () => Date
}

/** The one key of this controller. */
export const key = 'workloads'

const lookAgainMs = 30_000
const defaults = { batchSize: 10, intervalMs: 60_000 }

/** One look at all guests. Nothing is done while the product itself is being rolled out. */
export async function reconcile(_: string, deps: Deps): Promise<ReconcileResult | void> {
  const kubeVirt = deps.kubeVirt()
  const strategy = kubeVirt?.spec.workloadUpdateStrategy
  const methods = strategy?.workloadUpdateMethods ?? []
  if (methods.length === 0 || kubeVirt?.status?.phase !== 'Deployed') return
  if (!deps.expectations.satisfied(key)) return { requeueAfter: lookAgainMs }
  const now = deps.now().getTime()
  const interval = millisecondsOf(strategy?.batchEvictionInterval) ?? defaults.intervalMs
  const mayEvict = now - deps.lastEviction.at >= interval
  const decided = plan({
    vmis: deps.vmis.list(),
    migrations: deps.migrations.list(),
    migrationsOf: (vmi) => deps.migrations.byIndex('byVmi', keyOf(vmi)),
    launcherImage: deps.launcherImage,
    methods,
    parallelMigrations: deps.configuration().migrations?.parallelMigrationsPerCluster ?? 5,
    evictions: mayEvict ? (strategy?.batchEvictionSize ?? defaults.batchSize) : 0,
  })
  if (decided.evict.length > 0) deps.lastEviction.at = now
  const jobs = [
    ...decided.cancel.map((migration) => cancel(migration, deps)),
    ...decided.migrate.map((vmi) => migrate(vmi, deps)),
    ...decided.evict.map((vmi) => evict(vmi, deps)),
  ]
  const failed = (await Promise.allSettled(jobs)).find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (decided.isUnfinished) return { requeueAfter: lookAgainMs }
}

async function migrate(vmi: VirtualMachineInstance, deps: Deps): Promise<void> {
  const { client, events, expectations } = deps
  expectations.expectCreations(key, 1)
  try {
    const { metadata } = await client.create(virtualMachineInstanceMigrations, migrationFor(vmi, deps.launcherImage))
    events.event(vmi, 'Normal', 'SuccessfulCreate', `Created Migration ${metadata.name} for automated workload update`)
  } catch (error) {
    expectations.creationObserved(key)
    const text = error instanceof Error ? error.message : String(error)
    events.event(vmi, 'Warning', 'FailedCreate', `Creating a migration for the workload update failed: ${text}`)
    throw error
  }
}

function migrationFor(vmi: VirtualMachineInstance, launcherImage: string): VirtualMachineInstanceMigration {
  const { name, namespace } = vmi.metadata
  const ofVolumes = vmi.status?.conditions?.some(({ type, status }) => type === 'VolumesChange' && status === 'True')
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: {
      name: '',
      generateName: 'kubevirt-workload-update-',
      namespace,
      labels: { [label.vmiName]: name, ...(ofVolumes === true ? { [label.volumeUpdateMigration]: name } : {}) },
      annotations: { [annotation.workloadUpdateMigration]: '' },
    },
    // A change of the guest was somebody's wish; a new launcher is the product's own.
    spec: { vmiName: name, priority: hasOldLauncher(vmi, launcherImage) ? 'system-critical' : 'user-triggered' },
  }
}

async function evict(vmi: VirtualMachineInstance, { client, pods: cached, events }: Deps): Promise<void> {
  const own = cached.byIndex('byVmiUid', vmi.metadata.uid ?? '').filter((pod) => !isFinished(pod))
  for (const { metadata } of own) {
    const { name, namespace } = metadata
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
    try {
      await client.create(pods, eviction as never, { subresource: 'eviction' })
      events.event(vmi, 'Normal', 'SuccessfulEvict', `Evicted pod ${name} of an outdated guest`)
    } catch (error) {
      if (isNotFound(error)) continue
      const text = error instanceof Error ? error.message : String(error)
      events.event(vmi, 'Warning', 'FailedEvict', `Evicting pod ${name} of an outdated guest failed: ${text}`)
      throw error
    }
  }
}

async function cancel(migration: VirtualMachineInstanceMigration, { client, vmis, events }: Deps): Promise<void> {
  const { namespace, name, uid } = migration.metadata
  const vmi = vmis.get(keyFor(namespace, migration.spec.vmiName ?? ''))
  try {
    await client.delete(virtualMachineInstanceMigrations, { namespace, name }, { preconditions: { uid } })
    if (vmi !== undefined) events.event(vmi, 'Normal', 'SuccessfulChangeAbortion', `Aborted migration ${name}`)
  } catch (error) {
    if (isNotFound(error)) return
    if (vmi !== undefined) events.event(vmi, 'Warning', 'FailedChangeAbortion', `Aborting migration ${name} failed`)
    throw error
  }
}
