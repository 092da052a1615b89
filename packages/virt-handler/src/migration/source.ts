import {
  migrationDoubtOf,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigrationState,
} from '@kubevirt-ts/api'
import type { ReconcileResult } from '@kubevirt-ts/controller'
import type { MigrationMetadata } from '@kubevirt-ts/domain'
import { encodeJson, encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { isGateEnabled } from '@kubevirt-ts/virt-config'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Guest } from '../launcher-clients/guest.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { writeStatus } from '../vm/write-status.ts'
import type { MigrationDeps } from './deps.ts'
import { ask, settleAtSource } from './doubt.ts'
import { isHeld } from './held.ts'
import { launcherMigrationOptions } from './migration-options.ts'
import { progressToTell, withProgress } from './progress.ts'
import { openSourceProxy, type SourceProxy } from './proxy/source-proxy.ts'
import { isLeaving, underWay } from './role.ts'
import { ensureDoors, ensureUnderstood } from './skew.ts'
import { timestamp, withState } from './state.ts'

/** How soon a launcher that is gone while its guest moved is given up. */
const lookAgainMs = 1_000

/** One step for a guest that is about to leave this node: begin, follow, cancel, report the end. */
export async function send(
  vmi: VirtualMachineInstance | undefined,
  guest: Guest,
  deps: MigrationDeps,
): Promise<ReconcileResult> {
  if (vmi === undefined || !isLeaving(vmi, deps.node)) {
    deps.sourceProxies.get(guest.uid)?.close()
    deps.sourceProxies.delete(guest.uid)
    const isHere = vmi?.status?.nodeName === deps.node && deps.launchers.state(guest.uid) === 'up'
    return isHere && isHeld(deps.domains.get(guest.uid)) ? settleAtSource(vmi, guest, deps) : {}
  }
  const launcher = deps.launchers.get(guest.uid)
  const state = underWay(vmi) ?? {}
  const told = migrationOf(guest, state, deps)
  const isDead = deps.launchers.state(guest.uid) === 'dead'
  if (told?.inDoubt === 'true' && !isDead) return settleAtSource(vmi, guest, deps)
  if (told?.failed === 'true') return report(vmi, failureOf(told, deps.sourceProxies.get(guest.uid)), deps)
  // The target says that the guest has arrived, and how long it stood still.
  if (told?.endTimestamp !== undefined) return {}
  if (isDead) return lost(vmi, guest, state, deps)
  if (launcher === undefined) return { requeueAfter: lookAgainMs }
  if (state.abortRequested === true || vmi.metadata.deletionTimestamp !== undefined) return cancel(vmi, launcher, deps)
  if (told === undefined && deps.isStopping()) return {}
  if (told === undefined) await begin(vmi, launcher, state, deps)
  return follow(vmi, guest, state, deps)
}

/** What the launcher told of this very migration. */
function migrationOf(
  { uid }: Guest,
  { migrationUid }: VirtualMachineInstanceMigrationState,
  { domains }: MigrationDeps,
): MigrationMetadata | undefined {
  const told = domains.get(uid)?.spec.metadata?.kubevirt?.migration
  return told?.uid === migrationUid ? told : undefined
}

async function begin(
  vmi: VirtualMachineInstance,
  launcher: Launcher,
  state: VirtualMachineInstanceMigrationState,
  deps: MigrationDeps,
): Promise<void> {
  const { uid } = launcher.guest
  const settings = state.migrationConfiguration ?? {}
  const targetPorts = state.targetDirectMigrationNodePorts ?? {}
  try {
    await ensureUnderstood(launcher.cmd)
    ensureDoors(vmi, targetPorts)
    deps.sourceProxies.get(uid)?.close()
    deps.sourceProxies.set(
      uid,
      await openSourceProxy({
        podsFolder: deps.podsFolder,
        podUid: launcher.podUid,
        uid,
        targetAddress: state.targetNodeAddress ?? '',
        targetPorts,
        encryption: settings.disableTLS === true ? undefined : deps.encryption,
        log: deps.log,
      }),
    )
    const options = launcherMigrationOptions(settings, {
      tuneDowntime: (['MigrationDowntimeTuning', 'MigrationStallDetection'] as const).some((gate) =>
        isGateEnabled(deps.configuration(), gate),
      ),
    })
    succeeded(await launcher.cmd.migrateVirtualMachine({ vmi: encodeVmi(vmi), options: encodeJson(options) }))
  } catch (error) {
    await report(vmi, { failureReason: `the migration cannot begin: ${(error as Error).message}` }, deps)
    return
  }
  await deps.launchers.refresh(uid)
}

/** The migration's state as the launcher tells it; written where it changed. */
async function follow(
  vmi: VirtualMachineInstance,
  guest: Guest,
  state: VirtualMachineInstanceMigrationState,
  deps: MigrationDeps,
): Promise<ReconcileResult> {
  const told = migrationOf(guest, state, deps)
  const progress = progressToTell(vmi, told, deps.now())
  const isTold = state.startTimestamp !== undefined && state.mode === told?.mode && progress === undefined
  if (told === undefined || isTold) return {}
  await writeStatus(deps.client, vmi, (fresh) =>
    isLeaving(fresh, deps.node)
      ? withState(withProgress(fresh, progress), {
          startTimestamp: fresh.status?.migrationState?.startTimestamp ?? told.startTimestamp ?? timestamp(deps.now()),
          ...(told.mode === undefined ? {} : { mode: told.mode }),
        })
      : fresh,
  )
  if (state.startTimestamp === undefined)
    deps.events.event(vmi, 'Normal', 'Migrating', 'VirtualMachineInstance is migrating.')
  return {}
}

async function cancel(vmi: VirtualMachineInstance, launcher: Launcher, deps: MigrationDeps): Promise<ReconcileResult> {
  const told = migrationOf(launcher.guest, underWay(vmi) ?? {}, deps)
  if (told === undefined)
    return report(vmi, { failureReason: 'the migration was cancelled', abortStatus: 'Succeeded' }, deps)
  if (told.abortStatus !== undefined) return {}
  const answer = await launcher.cmd.cancelVirtualMachineMigration({ vmi: encodeVmi(vmi) })
  const abortStatus = answer.success ? 'Aborting' : 'Failed'
  if (!answer.success) deps.log.warn({ ...launcher.guest, message: answer.message }, 'a migration was not cancelled')
  await writeStatus(deps.client, vmi, (fresh) =>
    underWay(fresh) === undefined ? fresh : withState(fresh, { abortStatus }),
  )
  await deps.launchers.refresh(launcher.guest.uid)
  return { requeueAfter: lookAgainMs }
}

/**
 * The launcher ended without a word. Where the guest has arrived the target says so; else it ended with its launcher,
 * unless its target runs it and nobody heard of that.
 */
async function lost(
  vmi: VirtualMachineInstance,
  guest: Guest,
  state: VirtualMachineInstanceMigrationState,
  deps: MigrationDeps,
): Promise<ReconcileResult> {
  const { status, reason } = deps.domains.get(guest.uid)?.status ?? {}
  // A guest that once came here by a move runs with the same reason.
  if (status === 'Shutoff' && reason === 'Migrated') return {}
  if (state.startTimestamp === undefined)
    return report(vmi, { failureReason: 'the launcher of the source ended during the migration' }, deps)
  if (migrationDoubtOf(vmi.metadata, state.migrationUid) === undefined) await ask(vmi, deps)
  return {}
}

/**
 * What the launcher saw, and what lies behind it: a target that cannot be reached or does not trust this node. A move
 * that this process holds no sockets for was cut off when an earlier run of it ended.
 */
const failureOf = (
  { failureReason = 'the launcher reports no reason', abortStatus, endTimestamp }: MigrationMetadata,
  proxy: SourceProxy | undefined,
) => ({
  failureReason: abortStatus === undefined ? reasonWith(failureReason, proxy) : failureReason,
  ...(abortStatus === undefined ? {} : { abortStatus }),
  ...(endTimestamp === undefined ? {} : { endTimestamp }),
})

function reasonWith(failureReason: string, proxy: SourceProxy | undefined): string {
  if (proxy === undefined) return `the agent of the source node was restarted on the way: ${failureReason}`
  const trouble = proxy.trouble()
  return trouble === undefined ? failureReason : `the target's agent at ${trouble} (${failureReason})`
}

async function report(
  vmi: VirtualMachineInstance,
  failure: { failureReason: string; abortStatus?: string; endTimestamp?: string },
  deps: MigrationDeps,
): Promise<ReconcileResult> {
  const { uid = '' } = vmi.metadata
  const ended = { endTimestamp: timestamp(deps.now()), ...failure, failed: true, completed: true }
  await writeStatus(deps.client, vmi, (fresh) => (isLeaving(fresh, deps.node) ? withState(fresh, ended) : fresh))
  deps.sourceProxies.get(uid)?.close()
  deps.sourceProxies.delete(uid)
  return {}
}
