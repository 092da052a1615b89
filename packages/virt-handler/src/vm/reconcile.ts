import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Reconcile, ReconcileResult } from '@kubevirt-ts/controller'
import { isFinal } from '@kubevirt-ts/vmispec'
import { CriticalNetworkError } from '../host/network/phase1.ts'
import { parseGuestKey } from '../launcher-clients/guest.ts'
import { decide } from './decide.ts'
import type { VmDeps } from './deps.ts'
import { ask, cleanUp, kill, shutDown } from './end.ts'
import { failureText } from './failure-text.ts'
import { trustMs } from './early-start/early-starts.ts'
import { failedEarly } from './early-start/outcome.ts'
import { startEarly } from './early-start/start-early.ts'
import { gather } from './gather.ts'
import { verdictOf, type Verdict } from './phase.ts'
import { type Progress, ProgressBook } from './progress.ts'
import type { Seen } from './seen.ts'
import { reported } from './status/index.ts'
import { NotReadyYet, update } from './update.ts'
import { writeStatus } from './write-status.ts'

/** How soon a pod that is not complete is looked at again, should no file event tell earlier. */
const notReadyMs = 1_000

/** One step for one guest: look, decide, act, report. */
export function reconciler(deps: VmDeps): Reconcile {
  const book = new ProgressBook()
  return async (key) => {
    const guest = parseGuestKey(key)
    const progress = book.of(guest.uid)
    const seen = await gather(guest, progress, deps)
    if (seen === undefined) {
      book.forget(guest.uid)
      return
    }
    const failed = failedEarly(seen, progress)
    if (failed !== undefined) return tell(failed.reason, seen, progress, deps)
    // A verdict is written before anything of the guest is removed: whoever finds the rest knows how it ended.
    const verdict = seen.vmi && verdictOf({ ...seen, vmi: seen.vmi })
    if (seen.vmi !== undefined && verdict !== undefined && isEnd(verdict, seen.vmi))
      await report(seen, progress, deps, { verdict })
    const result = await act(seen, progress, deps)
    if (!deps.launchers.knows(guest.uid)) book.forget(guest.uid)
    return result
  }
}

const isEnd = ({ phase }: Verdict, vmi: VirtualMachineInstance): boolean =>
  !isFinal(vmi) && (phase === 'Succeeded' || phase === 'Failed')

async function act(seen: Seen, progress: Progress, deps: VmDeps): Promise<ReconcileResult | void> {
  switch (decide(seen)) {
    case 'ignore':
      return undefined
    case 'ask':
      return ask(seen, deps)
    case 'await':
      return { requeueAfter: trustMs }
    case 'start-early':
      return startEarly(seen, progress, deps)
    case 'shutdown':
      await report(seen, progress, deps, {})
      return shutDown(seen, progress, deps)
    case 'kill':
      return kill(seen, deps)
    case 'clean-up':
      return cleanUp(seen, progress, deps)
    case 'update':
      return bringUp(seen, progress, deps)
  }
}

/** Starts or changes the guest and tells how that went. An error other than "wait" is told and then thrown on. */
async function bringUp(seen: Seen, progress: Progress, deps: VmDeps): Promise<ReconcileResult | void> {
  const { guest, vmi } = seen
  if (vmi === undefined) return undefined
  try {
    await update(vmi, guest, progress, deps)
  } catch (error) {
    if (error instanceof NotReadyYet) return { requeueAfter: notReadyMs }
    return tell(error, seen, progress, deps)
  }
  // The launcher's events came in while it was busy: look again rather than report what was before.
  const after = await gather(guest, progress, deps)
  if (after !== undefined) await report(after, progress, deps, {})
  return undefined
}

/** Throws the error on, to be tried again, unless the guest is lost. */
async function tell(error: unknown, seen: Seen, progress: Progress, deps: VmDeps): Promise<undefined> {
  const failure = failureText(error)
  if (seen.vmi !== undefined) deps.events.event(seen.vmi, 'Warning', 'SyncFailed', failure)
  const critical = error instanceof CriticalNetworkError
  await report(seen, progress, deps, critical ? { failure, verdict: networkFailure } : { failure })
  if (critical) return undefined
  throw error
}

const networkFailure: Verdict = { phase: 'Failed', reason: 'NetworkSetupFailed' }

interface Outcome {
  readonly verdict?: Verdict
  readonly failure?: string
}

async function report(seen: Seen, progress: Progress, deps: VmDeps, { verdict, failure }: Outcome): Promise<void> {
  const { vmi, domain, guest } = seen
  if (vmi === undefined) return
  const cards = (await deps.networks.read(guest.uid))?.cards
  const now = new Date(deps.now())
  const launcher = deps.launchers.get(guest.uid)
  const selinuxContext = launcher && deps.selinux.contextOf(launcher.process.pid)
  const volumes = { plugged: await deps.plugs.names(guest.uid), dump: progress.dump }
  const known = { domain, cards, failure, volumes, selinuxContext, now }
  const before = vmi.status?.phase
  const written = await writeStatus(deps.client, vmi, (fresh) =>
    reported(fresh, { verdict: verdict ?? verdictOf({ ...seen, vmi: fresh }), ...known }),
  )
  if (written === undefined) return
  progress.written = written
  delete progress.dump
  if (before !== undefined && written.status?.phase !== before) announce(written, domain?.status.signal, deps)
}

function announce(vmi: VirtualMachineInstance, signal: string | undefined, { events }: VmDeps): void {
  const phase = vmi.status?.phase
  if (phase === 'Running') events.event(vmi, 'Normal', 'Started', 'VirtualMachineInstance started.')
  if (phase === 'Succeeded') events.event(vmi, 'Normal', 'Stopped', 'The VirtualMachineInstance was shut down.')
  const how = signal === undefined ? '' : ` QEMU was ended by ${signal}.`
  if (phase === 'Failed') events.event(vmi, 'Warning', 'Stopped', `The VirtualMachineInstance crashed.${how}`)
}
