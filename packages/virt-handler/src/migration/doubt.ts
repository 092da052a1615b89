import {
  migrationDoubtOf,
  type MigrationDoubt,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigrationState,
  withMigrationDoubt,
} from '@kubevirt-ts/api'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Guest } from '../launcher-clients/guest.ts'
import { NotReadyYet } from '../vm/update.ts'
import { writeStatus } from '../vm/write-status.ts'
import type { MigrationDeps } from './deps.ts'
import { hasArrived, launcherOf, takeOver } from './take-over.ts'
import { withState, timestamp } from './state.ts'

/** How soon an end of a move that cannot be reached is asked again. */
const askAgainMs = 1_000

const doubtOf = ({ metadata, status }: VirtualMachineInstance): MigrationDoubt | undefined =>
  migrationDoubtOf(metadata, status?.migrationState?.migrationUid)

/**
 * The source of a guest that is held: asks where it is, and does what the answer says. Nothing but an answer lets it go
 * on, however long that takes: a target that cannot be heard may run it.
 */
export async function settleAtSource(
  vmi: VirtualMachineInstance,
  guest: Guest,
  deps: MigrationDeps,
): Promise<ReconcileResult> {
  const launcher = deps.launchers.get(guest.uid)
  const held = deps.domains.get(guest.uid)?.spec.metadata?.kubevirt?.migration?.uid
  // What is said of another move is no answer.
  if (held !== vmi.status?.migrationState?.migrationUid) return {}
  const doubt = doubtOf(vmi)
  if (doubt === undefined) {
    await ask(vmi, deps)
    return {}
  }
  if (launcher === undefined) return { requeueAfter: askAgainMs }
  if (doubt === 'lost' || vmi.metadata.deletionTimestamp !== undefined) {
    deps.log.warn({ ...guest }, 'the guest may have run at its target, which is gone; what is left of it here is ended')
    succeeded(await launcher.cmd.killVirtualMachine({ vmi: encodeVmi(vmi) }))
  } else if (doubt === 'stayed') {
    deps.log.info({ ...guest }, 'the target does not run the guest; it goes on here')
    succeeded(await launcher.cmd.cancelVirtualMachineMigration({ vmi: encodeVmi(vmi) }))
  } else return {}
  await deps.launchers.refresh(guest.uid)
  return { requeueAfter: askAgainMs }
}

/** Asks the target, by the VMI. */
export async function ask(vmi: VirtualMachineInstance, deps: MigrationDeps): Promise<void> {
  const { migrationUid = '', targetNode, targetPod } = vmi.status?.migrationState ?? {}
  await writeStatus(deps.client, vmi, (fresh) =>
    isOpen(fresh, migrationUid) && doubtOf(fresh) === undefined
      ? { ...fresh, metadata: withMigrationDoubt(fresh.metadata, migrationUid, 'asked') }
      : fresh,
  )
  const text = `whether node ${targetNode} runs the guest is not known since the nodes lost each other at its switch-over; it stands still until that node answers or pod ${targetPod} is gone`
  deps.events.event(vmi, 'Warning', 'MigrationInDoubt', text)
}

/** The guest has not been taken by its target, and no other move has begun. */
function isOpen({ status }: VirtualMachineInstance, migrationUid: string): boolean {
  const { migrationState, nodeName } = status ?? {}
  return migrationState?.migrationUid === migrationUid && nodeName === migrationState.sourceNode
}

/** Whether this node is asked where the guest is. */
export function isAsked(vmi: VirtualMachineInstance, node: string): boolean {
  const state = vmi.status?.migrationState
  return state?.targetNode === node && vmi.status?.nodeName !== node && doubtOf(vmi) === 'asked'
}

/**
 * The target answers: it takes a guest that runs here, and makes sure that any other never will. What ran here and has
 * ended is lost: its source is older than what it did.
 */
export async function answerAtTarget(
  vmi: VirtualMachineInstance,
  guest: Guest,
  deps: MigrationDeps,
): Promise<ReconcileResult> {
  if (deps.launchers.state(guest.uid) === 'dead') return reply(vmi, 'lost', deps)
  deps.targetProxies.get(guest.uid)?.cut()
  deps.targetProxies.delete(guest.uid)
  try {
    const launcher = await launcherOf(vmi, guest, deps)
    await deps.launchers.refresh(guest.uid)
    if (isHere(guest, deps)) return await take(vmi, guest, deps)
    const { success, message } = await launcher.cmd.cancelVirtualMachineMigration({ vmi: encodeVmi(vmi) })
    if (success) return reply(vmi, 'stayed', deps)
    await deps.launchers.refresh(guest.uid)
    if (isHere(guest, deps)) return await take(vmi, guest, deps)
    deps.log.warn({ ...guest, message }, 'the guest that came has ended')
    return reply(vmi, 'lost', deps)
  } catch (error) {
    if (!(error instanceof NotReadyYet)) deps.log.warn({ ...guest, error }, 'where the guest is cannot be told yet')
    return { requeueAfter: askAgainMs }
  }
}

function isHere({ uid }: Guest, { domains }: MigrationDeps): boolean {
  const domain = domains.get(uid)
  return domain !== undefined && hasArrived(domain)
}

/** A move that was given up meanwhile has lost its pod: then the guest cannot stay. */
async function take(vmi: VirtualMachineInstance, guest: Guest, deps: MigrationDeps): Promise<ReconcileResult> {
  if (vmi.status?.migrationState?.failed !== true) {
    await takeOver(vmi, guest, deps)
    return {}
  }
  const launcher = deps.launchers.get(guest.uid)
  if (launcher !== undefined) succeeded(await launcher.cmd.killVirtualMachine({ vmi: encodeVmi(vmi) }))
  return { requeueAfter: askAgainMs }
}

async function reply(
  vmi: VirtualMachineInstance,
  answer: 'stayed' | 'lost',
  { client, node, now }: MigrationDeps,
): Promise<ReconcileResult> {
  const { migrationUid = '', sourceNode } = vmi.status?.migrationState ?? {}
  const what = { stayed: 'the guest had not begun to run', lost: 'the guest may have run and has ended' }[answer]
  const failureReason = `nodes ${sourceNode} and ${node} lost each other while the guest was switched over; ${what} on ${node}`
  const ended = { failed: true, completed: true, failureReason, endTimestamp: timestamp(now()) }
  await writeStatus(client, vmi, (fresh) => {
    if (!isAsked(fresh, node)) return fresh
    const failed: VirtualMachineInstanceMigrationState = fresh.status?.migrationState?.failed === true ? {} : ended
    return { ...withState(fresh, failed), metadata: withMigrationDoubt(fresh.metadata, migrationUid, answer) }
  })
  return {}
}
