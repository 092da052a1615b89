import { isControlledBy, keyFor } from '@kubevirt-ts/controller'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import type { VirtualMachine } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service'
import { storageOf } from '../storage/caches.ts'
import { act } from './act.ts'
import { afterwards, begin } from './bookkeeping.ts'
import type { Deps } from './deps.ts'
import { releaseVm, releaseVmi } from './finalizers.ts'
import { carryTemplate } from './live-update/carry.ts'
import { carryMetadata } from './live-update/metadata.ts'
import { serveMemoryDump } from './memory-dump/serve.ts'
import { restartReason } from './restart-required.ts'
import { specOf } from './revisions.ts'
import type { Seen } from './seen.ts'
import { startAllowedIn } from './start-failure.ts'
import type { Outcome } from './status/index.ts'
import { serveVolumeMigration } from './volume-migration/serve.ts'
import { serveVolumeRequests } from './volumes/serve.ts'
import { writeStatus } from './write-status.ts'

/**
 * One pass over a VM: look (caches only), let the run strategy decide, act on the VMI, write the status. The
 * finalizers come last, so that an object only goes once all of it was told.
 */
export async function reconcile(key: string, deps: Deps): Promise<ReconcileResult | void> {
  const vm = deps.vms.get(key)
  if (vm === undefined) return forget(key, deps)
  const stale = deps.ownWrites.staleFor(vm)
  if (stale > 0) return { requeueAfter: stale }

  const seen = gather(key, vm, deps)
  const begun = await begin(seen, deps)
  if (begun === 'written') return
  const acted = await withChanges(await act(seen, deps, begun), seen, deps)
  const outcome = await afterwards(acted, seen, deps)
  const patient = await writeStatus(seen, outcome, deps)
  await releaseVmi(seen, deps)
  await releaseVm(seen, deps)
  if (outcome.problem?.retry) throw new VirtError(outcome.problem.reason, outcome.problem.message)
  if (outcome.problem?.lookAgainMs !== undefined) return { requeueAfter: outcome.problem.lookAgainMs }
  const waits = [patient, seen.vmi === undefined ? startAllowedIn(seen) : 0].filter((wait) => wait > 0)
  if (waits.length > 0) return { requeueAfter: Math.min(...waits) }
}

function forget(key: string, { expectations, patience }: Deps): void {
  expectations.forget(`${key}/data-volumes`)
  expectations.forget(key)
  patience.forget(key)
}

/** Changes of the running guest; where it is in trouble itself they wait. */
async function withChanges(outcome: Outcome, seen: Seen, deps: Deps): Promise<Outcome> {
  const steps = [serveVolumeRequests, serveMemoryDump, carryMetadata, carryTemplate, serveVolumeMigration] as const
  const before = restartReason(seen, deps.configuration())
  let next: Outcome = { ...outcome, ...(before === undefined ? {} : { restart: before }) }
  for (const step of steps) {
    if (next.problem !== undefined) return next
    next = { ...next, ...(await step(seen, deps)) }
  }
  return next
}

function gather(key: string, vm: VirtualMachine, deps: Deps): Seen {
  const named = deps.vmis.get(key)
  const vmi = named !== undefined && isControlledBy(named, vm) ? named : undefined
  const revisionName = vmi?.status?.virtualMachineRevisionName
  const revision =
    revisionName === undefined ? undefined : deps.revisions.get(keyFor(vm.metadata.namespace, revisionName))
  return {
    vm,
    vmi,
    foreignVmi: named !== undefined && vmi === undefined,
    startedSpec: revision === undefined ? undefined : specOf(revision),
    settled: deps.expectations.satisfied(key),
    dataVolumesSettled: deps.expectations.satisfied(`${key}/data-volumes`),
    ...storageOf(vm.metadata.namespace, deps),
    now: deps.now(),
    random: deps.random(),
  }
}
