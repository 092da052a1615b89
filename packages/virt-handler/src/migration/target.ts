import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import { encodeVmi, RpcError } from '@kubevirt-ts/handler-launcher-com'
import { succeeded } from '../launcher-clients/answer.ts'
import { allowedCpus } from '../host/isolation/process.ts'
import type { Guest } from '../launcher-clients/guest.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { removeStay } from '../vm/end.ts'
import { launcherOptions } from '../vm/launcher-options.ts'
import { NotReadyYet, prepare } from '../vm/update.ts'
import { writeStatus } from '../vm/write-status.ts'
import { cardWishes } from '../vm/network.ts'
import type { MigrationDeps } from './deps.ts'
import { answerAtTarget, isAsked } from './doubt.ts'
import { openTargetProxy } from './proxy/target-proxy.ts'
import { isTarget, underWay } from './role.ts'
import { conversationsOf, ensureUnderstood } from './skew.ts'
import { timestamp, withState } from './state.ts'
import { hasArrived, launcherOf, takeOver } from './take-over.ts'

/** How soon a target pod that is not complete is looked at again. */
const notReadyMs = 100

/** How soon a guest that is on its way is looked for, whatever its launcher has told. */
const lookAgainMs = 1_000

/** How soon a guest whose doors were lost is looked for again. */
const interruptedMs = 1_000

/** One step for a guest that is to come to this node: make ready, open the doors, take it over when it runs. */
export async function receive(
  vmi: VirtualMachineInstance | undefined,
  guest: Guest,
  deps: MigrationDeps,
): Promise<ReconcileResult> {
  if (vmi !== undefined && isAsked(vmi, deps.node)) return answerAtTarget(vmi, guest, deps)
  if (vmi === undefined || !isTarget(vmi, deps.node)) {
    deps.taken.delete(guest.uid)
    closeDoors(guest.uid, deps)
    return {}
  }
  const domain = deps.domains.get(guest.uid)
  if (domain !== undefined && hasArrived(domain)) {
    await takeOver(vmi, guest, deps)
    closeDoors(guest.uid, deps)
    return {}
  }
  try {
    return await deps.stays.run(guest.uid, () => makeReady(vmi, guest, deps))
  } catch (error) {
    if (error instanceof NotReadyYet) return { requeueAfter: notReadyMs }
    // The guest may be on its way, or here already: a launcher that is busy with it is asked again, not given up.
    if (error instanceof RpcError && error.isLate) return { requeueAfter: lookAgainMs }
    const reason = `the target node is not ready: ${(error as Error).message}`
    deps.events.event(vmi, 'Warning', 'SyncFailed', reason)
    await fail(vmi, reason, deps)
    return {}
  }
}

async function makeReady(vmi: VirtualMachineInstance, guest: Guest, deps: MigrationDeps): Promise<ReconcileResult> {
  const state = underWay(vmi)
  const open = deps.targetProxies.get(guest.uid)
  const isAnnounced = state?.targetNodeAddress !== undefined
  if (deps.isStopping()) return {}
  if (open !== undefined && isAnnounced) return lookAgain(vmi, guest, deps)
  if (isAnnounced && (await mayBeHere(vmi, guest, deps))) return pickUp(vmi, guest, deps)
  await removeEarlier(guest, deps)
  const launcher = await launcherOf(vmi, guest, deps)
  await ensureUnderstood(launcher.cmd)
  const configuration = deps.configuration()
  await prepare(vmi, launcher, cardWishes(asNew(vmi), configuration), deps)
  const options = launcherOptions(configuration, vmi.spec)
  succeeded(await launcher.cmd.syncMigrationTarget({ vmi: encodeVmi(vmi), options }))
  const proxy =
    open ??
    (await openTargetProxy({
      host: deps.address.includes(':') ? '::' : '0.0.0.0',
      podsFolder: deps.podsFolder,
      podUid: launcher.podUid,
      uid: guest.uid,
      conversations: conversationsOf(vmi),
      encryption: state?.migrationConfiguration?.disableTLS === true ? undefined : deps.encryption,
      log: deps.log,
    }))
  deps.targetProxies.set(guest.uid, proxy)
  await writeStatus(deps.client, vmi, (fresh) =>
    withState(fresh, {
      targetNodeAddress: deps.address,
      targetDirectMigrationNodePorts: { ...proxy.ports },
      ...ownCpus(vmi, launcher),
    }),
  )
  deps.events.event(vmi, 'Normal', 'PreparingTarget', 'VirtualMachineInstance Migration Target Prepared.')
  return {}
}

/** Asks the launcher itself, should its word that the guest has come be lost. */
async function lookAgain(vmi: VirtualMachineInstance, guest: Guest, deps: MigrationDeps): Promise<ReconcileResult> {
  await launcherOf(vmi, guest, deps)
  await deps.launchers.refresh(guest.uid)
  return { requeueAfter: lookAgainMs }
}

/** The CPUs of the target pod, for a guest that has its CPUs for itself: its source pins it to them. */
function ownCpus({ spec }: VirtualMachineInstance, { process }: Launcher): { targetCPUSet?: number[] } {
  if (spec.domain.cpu?.dedicatedCpuPlacement !== true) return {}
  return { targetCPUSet: allowedCpus(process.pid) }
}

/** An earlier run of this process opened doors: whether the guest may have come through them, wholly or in part. */
async function mayBeHere(vmi: VirtualMachineInstance, guest: Guest, deps: MigrationDeps): Promise<boolean> {
  await launcherOf(vmi, guest, deps)
  await deps.launchers.refresh(guest.uid)
  return underWay(vmi)?.startTimestamp !== undefined || deps.domains.get(guest.uid) !== undefined
}

/**
 * A guest that has arrived is taken over. Whether any other still comes only its source knows: its conversation has
 * ended with the doors, so the source goes on with the guest and reports the failure. Were it told here, a guest that
 * arrives at this moment would be killed with its pod.
 */
async function pickUp(vmi: VirtualMachineInstance, guest: Guest, deps: MigrationDeps): Promise<ReconcileResult> {
  const domain = deps.domains.get(guest.uid)
  if (domain !== undefined && hasArrived(domain)) {
    await takeOver(vmi, guest, deps)
    closeDoors(guest.uid, deps)
    return {}
  }
  if (!deps.interrupted.has(guest.uid)) {
    deps.interrupted.add(guest.uid)
    const text =
      'the agent of the target node was restarted while the guest was on its way; the source tells the outcome'
    deps.events.event(vmi, 'Warning', 'MigrationInterrupted', text)
  }
  return { requeueAfter: interruptedMs }
}

/** The pod is new, whatever the guest is: all of its links are there. */
const asNew = (vmi: VirtualMachineInstance): VirtualMachineInstance => ({
  ...vmi,
  status: { ...vmi.status, phase: 'Scheduled' },
})

/** A guest that comes back: what its first stay left here goes before its new pod is looked at. */
async function removeEarlier(guest: Guest, deps: MigrationDeps): Promise<void> {
  if (deps.launchers.state(guest.uid) !== 'dead') return
  const podUid = deps.launchers.podUid(guest.uid)
  const left = { guest, podUid, moved: true, launcher: 'dead', known: true, domainKnown: true } as const
  await removeStay(left, {}, deps)
}

async function fail(vmi: VirtualMachineInstance, failureReason: string, deps: MigrationDeps): Promise<void> {
  const state = { failed: true, completed: true, failureReason, endTimestamp: timestamp(deps.now()) }
  await writeStatus(deps.client, vmi, (fresh) => (underWay(fresh) === undefined ? fresh : withState(fresh, state)))
  closeDoors(vmi.metadata.uid ?? '', deps)
}

function closeDoors(uid: string, { targetProxies, interrupted }: MigrationDeps): void {
  interrupted.delete(uid)
  targetProxies.get(uid)?.close()
  targetProxies.delete(uid)
}
