import { label } from '@kubevirt-ts/api'
import type { VirtualMachineInstanceMigration } from '@kubevirt-ts/api'
import { keyFor } from '@kubevirt-ts/controller'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import { attachmentsOf } from '../attachments/of-launcher.ts'
import { attachToTarget } from './attach.ts'
import { isFinished } from '../pod-state.ts'
import { noteArrival } from './arrival.ts'
import { adopt, collect, release, removeMigration, removeTarget } from './clean-up.ts'
import type { Deps } from './deps.ts'
import { hasBegun } from './has-begun.ts'
import { abort, giveUp, handOver, settleDoubt } from './hand-over.ts'
import { nextPhase } from './phase.ts'
import { isFinal, isInDoubt } from './seen.ts'
import type { Seen } from './seen.ts'
import { start } from './start.ts'
import type { Start } from './start.ts'
import { writeStatus } from './status.ts'

/**
 * One pass over a migration: until the hand-over the controller makes and watches the target pod, then the nodes'
 * agents move the guest and the controller only follows what they report on the VMI.
 */
export async function reconcile(key: string, deps: Deps): Promise<ReconcileResult | void> {
  const migration = deps.migrations.get(key)
  if (migration === undefined) return deps.expectations.forget(key)
  const stale = deps.ownWrites.staleFor(migration)
  if (stale > 0) return { requeueAfter: stale }

  const seen = gather(key, migration, deps)
  const vmiStale = seen.vmi === undefined ? 0 : deps.vmiWrites.staleFor(seen.vmi)
  if (vmiStale > 0) return { requeueAfter: vmiStale }
  if (await settleDoubt(seen, deps)) return
  if (isFinal(migration)) return finish(seen, deps)
  if (await adopt(migration, deps)) return
  const next = nextPhase(seen)
  const { problem, failure, requeueAfter = next.requeueAfter } = await act(seen, next.phase, deps)
  const verdict = failure === undefined ? next : { phase: 'Failed', failure }
  if (verdict.failure !== undefined) await giveUp(seen, verdict.failure, deps)
  if (verdict.phase === 'Succeeded') await noteArrival(seen, deps)
  await writeStatus(seen, verdict, problem, deps)
  if (requeueAfter !== undefined) return { requeueAfter }
}

interface Acted extends Start {
  /** Why the migration cannot go on. */
  readonly failure?: string
}

async function act(seen: Seen, next: string, deps: Deps): Promise<Acted> {
  const { migration } = seen
  const phase = migration.status?.phase ?? ''
  if (phase !== '' && phase !== 'Pending') deps.started.delete(migration.metadata.uid ?? '')
  if (next === 'Failed' || next === 'Succeeded') return {}
  if (migration.metadata.deletionTimestamp !== undefined) await abort(seen, deps)
  else if (next === 'Pending' && seen.targetPod !== undefined) await attachToTarget(seen, deps)
  else if (next === 'Pending') return start(seen, deps)
  // Before the pod is ready: what the target's agent makes ready needs the pod's launcher alone, which is up earlier.
  else if (readiesTarget.has(next)) {
    const failure = await handOver(seen, deps)
    return failure === undefined ? {} : { failure }
  }
  return {}
}

const readiesTarget: ReadonlySet<string> = new Set(['Scheduling', 'Scheduled'])

/** The end was told: what is left over goes, and the finalizer with it. */
async function finish(seen: Seen, deps: Deps): Promise<void> {
  const { migration, vmi } = seen
  deps.started.delete(migration.metadata.uid ?? '')
  // A source waits to hear where its guest is: the target can still say so, and its pod's end is an answer, too.
  if (isInDoubt(seen)) return
  if (migration.status?.phase === 'Failed' && !livesIn(seen)) await removeTarget(seen, deps)
  await release(migration, deps)
  if (vmi === undefined) return removeMigration(migration, deps)
  await collect(migration, deps)
}

/** Whether the guest runs in the target pod after all: its node then has the VMI. */
function livesIn({ vmi, targetPod }: Seen): boolean {
  const node = targetPod?.spec.nodeName
  return node !== undefined && vmi?.status?.nodeName === node
}

function gather(key: string, migration: VirtualMachineInstanceMigration, deps: Deps): Seen {
  const { namespace, uid } = migration.metadata
  const vmi = deps.vmis.get(keyFor(namespace, migration.spec.vmiName ?? ''))
  const pods = vmi === undefined ? [] : deps.pods.byIndex('byVmiUid', vmi.metadata.uid ?? '')
  const targetPod = pods.find(({ metadata }) => metadata.labels?.[label.migrationJobUid] === uid)
  // A guest that was here before has left an ended pod.
  const sourcePod = pods.find(
    (pod) => pod !== targetPod && pod.spec.nodeName === vmi?.status?.nodeName && !isFinished(pod),
  )
  return {
    migration,
    vmi,
    targetPod,
    attachments: attachmentsOf(targetPod, deps.attachments),
    sourcePod,
    rival: rivalOf(migration, deps),
    podSettled: deps.expectations.satisfied(key),
    utilityVolumesTimeout: deps.configuration().migrations?.utilityVolumesTimeout,
    now: deps.now(),
  }
}

/**
 * Admission refuses a second migration of a guest; of two that were asked for at once and got past it one is enough: the
 * one that has begun, else the older.
 */
function rivalOf(migration: VirtualMachineInstanceMigration, deps: Deps): typeof migration | undefined {
  const { metadata, spec } = migration
  if (hasBegun(migration, deps)) return undefined
  const age = ({ metadata: { creationTimestamp = '', uid = '' } }: typeof migration): string =>
    `${creationTimestamp} ${uid}`
  return deps.migrations
    .byIndex('byVmi', keyFor(metadata.namespace, spec.vmiName ?? ''))
    .filter((each) => each.metadata.uid !== metadata.uid && !isFinal(each))
    .find((each) => hasBegun(each, deps) || age(each) < age(migration))
}
