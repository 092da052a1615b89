import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import type { VmDeps } from '../deps.ts'
import { failureText } from '../failure-text.ts'
import { cardWishes } from '../network.ts'
import type { Progress } from '../progress.ts'
import type { Seen } from '../seen.ts'
import { launcherOf, NotReadyYet, prepare, sync } from '../update.ts'
import { trustMs } from './early-starts.ts'
import type { EarlyOutcome } from './outcome.ts'

/** A pod's containers start within moments of each other; one that does not is waiting for its image. */
const soonMs = 50
const soonForMs = 3_000
const laterMs = 1_000

/**
 * Makes a guest whose VMI is not handed over yet: all that is done for a VMI that is, but its processors do not run
 * before. Writes nothing to the API; a failure is kept until the hand-over.
 */
export async function startEarly(seen: Seen, progress: Progress, deps: VmDeps): Promise<ReconcileResult> {
  const { guest, vmi } = seen
  if (vmi === undefined || progress.early !== undefined) return { requeueAfter: trustMs }
  try {
    progress.early = await make(vmi, seen, deps)
  } catch (error) {
    if (error instanceof NotReadyYet) return { requeueAfter: isNew(guest.uid, deps) ? soonMs : laterMs }
    progress.early = { kind: 'failed', reason: error }
    deps.log.warn({ ...guest, reason: failureText(error) }, 'a guest could not be made before its hand-over')
  }
  return { requeueAfter: trustMs }
}

async function make(vmi: VirtualMachineInstance, { guest }: Seen, deps: VmDeps): Promise<EarlyOutcome> {
  const launcher = await launcherOf(vmi, guest, deps)
  // A launcher of an earlier release would let the guest run at once.
  const { holdsEarlyGuests } = await launcher.cmd.info({})
  if (!holdsEarlyGuests) return { kind: 'left' }
  await prepare(vmi, launcher, cardWishes(vmi, deps.configuration()), deps)
  await sync(vmi, launcher, deps)
  return { kind: 'made', vmi }
}

function isNew(uid: string, { earlyStarts, now }: VmDeps): boolean {
  return now() - (earlyStarts.get(uid)?.sinceMs ?? 0) < soonForMs
}
