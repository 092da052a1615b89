import { EventRecorder, WorkQueue } from '@kubevirt-ts/controller'
import { vm, vmi, replicaSet, pool } from './guests.ts'
import { migration, evacuation, disruptionBudget, workloadUpdater } from './moves.ts'
import { certificates, kubeVirt, node, topology, unserved } from './cluster.ts'
import type { Controller, LeaderParts, Shared } from './controller.ts'

const controllers: readonly Controller[] = [
  certificates,
  kubeVirt,
  vm,
  vmi,
  node,
  replicaSet,
  pool,
  migration,
  evacuation,
  disruptionBudget,
  workloadUpdater,
  topology,
  unserved,
]

/** Runs every controller until the signal is aborted: leadership ended, or the process stops. */
export async function lead(parts: LeaderParts, signal: AbortSignal): Promise<void> {
  await Promise.all(Object.values(parts.informers).map((informer) => informer.synced))
  if (signal.aborted) return
  const { registry, client, log, options } = parts
  countTransitions(parts, signal)
  const recorders = new Map<string, EventRecorder>()
  const shared: Shared = {
    queue: (name) => new WorkQueue({ name: `virt-controller-${name}`, registry }),
    recorder: (component) => {
      const known = recorders.get(component) ?? new EventRecorder({ client, component, host: options.identity, log })
      recorders.set(component, known)
      return known
    },
    now: () => new Date(),
  }
  await Promise.all(controllers.map((run) => run(parts, shared, signal)))
  await Promise.all([...recorders.values()].map((recorder) => recorder.flush()))
}

/** Every replica sees the changes, the leader counts them. */
function countTransitions({ informers, metrics }: LeaderParts, signal: AbortSignal): void {
  const ends = [
    informers.vmis.on({ updated: metrics.vmiChanged }),
    informers.migrations.on({ updated: metrics.migrationChanged }),
  ]
  signal.addEventListener('abort', () => ends.forEach((end) => end()), { once: true })
}
