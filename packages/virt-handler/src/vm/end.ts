import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import type { VmDeps } from './deps.ts'
import type { Progress } from './progress.ts'
import type { Seen } from './seen.ts'
import { shutdownStep } from './shutdown-step.ts'

const defaultGraceSeconds = 30
/** How soon a launcher that was told to kill its guest is asked again. */
const killAgainMs = 5_000
const askAgainMs = 1_000

/** Asks the guest to power off, again and again, and ends it when its time is up. */
export async function shutDown(seen: Seen, progress: Progress, deps: VmDeps): Promise<ReconcileResult> {
  const launcher = await reach(seen, deps)
  if (launcher === undefined) return {}
  const now = deps.now()
  const firstMs = progress.signals?.firstMs ?? shutdownStart(seen) ?? now
  const step = shutdownStep(graceSeconds(seen), { firstMs, lastMs: progress.signals?.lastMs }, now)
  if (step.kind === 'kill') return kill(seen, deps)
  if (step.kind === 'wait') return { requeueAfter: step.againAfterMs }
  succeeded(await launcher.cmd.shutdownVirtualMachine({ vmi: encodeVmi(vmiOf(seen)) }))
  if (progress.signals === undefined)
    deps.events.event(vmiOf(seen), 'Normal', 'ShuttingDown', 'Signaled Graceful Shutdown')
  progress.signals = { firstMs, lastMs: now }
  return { requeueAfter: step.againAfterMs }
}

/** Finds out whether there is a guest at all. */
export async function ask(seen: Seen, deps: VmDeps): Promise<ReconcileResult> {
  await reach(seen, deps)
  await deps.launchers.refresh(seen.guest.uid)
  return { requeueAfter: askAgainMs }
}

/** Ends the guest without asking it. */
export async function kill(seen: Seen, deps: VmDeps): Promise<ReconcileResult> {
  const launcher = await reach(seen, deps)
  if (launcher !== undefined) succeeded(await launcher.cmd.killVirtualMachine({ vmi: encodeVmi(vmiOf(seen)) }))
  return { requeueAfter: killAgainMs }
}

/**
 * Removes what an ended guest left on the node: its definition, mounts, network. The launcher ends by itself; only then
 * the last record of the guest goes, so that an interrupted clean-up is taken up again.
 */
export async function cleanUp(seen: Seen, progress: Progress, deps: VmDeps): Promise<void> {
  await deps.stays.run(seen.guest.uid, () => removeStay(seen, progress, deps))
}

/** As `cleanUp`, for whoever has the guest's turn. A guest that came back meanwhile has another pod, and is left alone. */
export async function removeStay(seen: Seen, progress: Progress, deps: VmDeps): Promise<void> {
  const { guest, podUid } = seen
  const { launchers, images, plugs, networks, log } = deps
  if (launchers.podUid(guest.uid) !== podUid) return
  const stay = podUid ?? ''
  if (progress.released !== stay) {
    const launcher = seen.launcher === 'up' ? launchers.get(guest.uid) : undefined
    await launcher?.cmd
      .deleteVirtualMachine({ vmi: encodeVmi(vmiOf(seen)) })
      .then(succeeded)
      .catch((error: unknown) =>
        log.warn({ ...guest, error }, 'the launcher did not remove the domain of an ended guest'),
      )
    await images.unmount(guest.uid)
    await plugs.unplugAll(guest.uid)
    await networks.remove(guest.uid)
    // Of a guest that was never handed over its user was not told either.
    if (seen.vmi?.status?.nodeName !== undefined) deps.events.event(seen.vmi, 'Normal', 'Deleted', 'Signaled Deletion')
    progress.released = stay
  }
  if (launchers.state(guest.uid) !== 'up') await launchers.forget(guest.uid, podUid)
}

/** The launcher, also when this process has just restarted and could not reach it yet. */
async function reach({ guest }: Seen, { launchers }: VmDeps): Promise<Launcher | undefined> {
  const podUid = launchers.podUid(guest.uid)
  return launchers.get(guest.uid) ?? (podUid === undefined ? undefined : launchers.connect(guest, podUid))
}

function shutdownStart({ domain }: Seen): number | undefined {
  const stamp = domain?.spec?.metadata?.kubevirt?.graceperiod?.deletionTimestamp ?? domain?.metadata.deletionTimestamp
  const time = stamp === undefined ? Number.NaN : Date.parse(stamp)
  return Number.isNaN(time) ? undefined : time
}

function graceSeconds({ vmi, domain }: Seen): number {
  const remembered = domain?.spec?.metadata?.kubevirt?.graceperiod?.deletionGracePeriodSeconds
  return (
    vmi?.spec.terminationGracePeriodSeconds ?? (remembered === undefined ? defaultGraceSeconds : Number(remembered))
  )
}

/** For a vanished VMI its name is all that is left, and all that the launcher needs. */
const vmiOf = ({ vmi, guest }: Seen): VirtualMachineInstance =>
  vmi ?? { metadata: guest, spec: { domain: { devices: {} } } }
