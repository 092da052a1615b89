import { join } from 'node:path'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { MigrationMetadata } from '@kubevirt-ts/domain'
import {
  migrationPorts,
  migrationProxyFolder,
  migrationSocket,
  type MigrationOptions,
} from '@kubevirt-ts/handler-launcher-com'
import type { Domain, MigrateOptions } from '@kubevirt-ts/libvirt'
import { VirtError } from '@kubevirt-ts/service'
import type { Launcher, LauncherState } from '../launcher.ts'
import { destinationXml } from './destination.ts'
import { movedBytes } from './size.ts'
import { watchMigration } from './watch.ts'

const mebibyte = 1024 * 1024
/** Daemons by the name of their socket; the other side has the same image or a newer one. */
const daemonUri = (socket: string): string => `qemu+unix:///session?socket=${socket}`

/** KubeVirt's, for what virt-handler does not say. */
const defaults: MigrationOptions = {
  Bandwidth: 0,
  ProgressTimeout: 150,
  CompletionTimeoutPerGiB: 150,
  UnsafeMigration: false,
  AllowAutoConverge: false,
  AllowPostCopy: false,
  AllowWorkloadDisruption: false,
}

/**
 * Begins to move the guest to the target that virt-handler's proxies lead to, and answers at once; how it goes is told
 * with the domain. The same migration asked for again is not begun again.
 */
export async function startMigration(
  vmi: VirtualMachineInstance,
  wishes: Partial<MigrationOptions>,
  launcher: Launcher,
): Promise<void> {
  const uid = vmi.status?.migrationState?.migrationUid ?? ''
  const before = launcher.state.migration
  if (before?.uid === uid) return
  if (before !== undefined && before.endTimestamp === undefined)
    throw new VirtError('MigrationUnderWay', `migration ${before.uid} of this guest has not ended`)
  delete launcher.state.stoppedToMove
  note(launcher, { uid, startTimestamp: now(), mode: 'PreCopy' })
  void carryOut(vmi, { ...defaults, ...wishes }, launcher)
}

/** Ends a migration under way; the guest goes on here. Nothing to end is no error. */
export async function cancelMigration({ libvirt, state, log }: Launcher): Promise<void> {
  const { migration } = state
  if (migration === undefined || migration.endTimestamp !== undefined) return
  if (migration.mode === 'PostCopy')
    throw new VirtError('MigrationCannotBeCancelled', 'the guest runs at its target already (post-copy)')
  state.migration = { ...migration, abortStatus: 'Aborting' }
  await libvirt.ask(async (domain) => {
    if (await domain?.job()) await domain?.abortJob()
  })
  log.info('migration cancelled')
}

async function carryOut(vmi: VirtualMachineInstance, options: MigrationOptions, launcher: Launcher): Promise<void> {
  const { libvirt, log } = launcher
  const uid = vmi.metadata.uid ?? ''
  const socket = (port: number): string =>
    join(launcher.options.shareDir, migrationProxyFolder, migrationSocket(uid, port))
  const ending = new AbortController()
  const watching = watchMigration(await movedBytes(vmi, launcher), options, launcher, ending.signal)
  let inDoubt = false
  try {
    await libvirt.move(async (domain) => {
      if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
      const xml = destinationXml(vmi, await domain.xml({ migratable: true }))
      const wishes = libvirtOptions(vmi, options, launcher, socket)
      const destination = daemonUri(socket(migrationPorts.control))
      try {
        await domain.migrate(destination, xml === undefined ? wishes : { ...wishes, destinationXml: xml })
      } catch (error) {
        inDoubt = isInDoubt(launcher.state, watching.reason())
        if (inDoubt) await hold(domain, launcher)
        throw error
      }
    })
    log.info('the guest has moved')
    note(launcher, { ...launcher.state.migration, endTimestamp: now() })
  } catch (error) {
    log.warn({ error }, 'the guest could not be moved')
    const { abortStatus } = launcher.state.migration ?? {}
    const givenUp = watching.reason()
    note(launcher, {
      ...launcher.state.migration,
      endTimestamp: now(),
      failed: 'true',
      ...(inDoubt ? { inDoubt: 'true' } : {}),
      failureReason: givenUp ?? (abortStatus ? 'the migration was cancelled' : (error as Error).message),
      // Ended from here, by somebody or for its time: what the network said of that is no reason.
      ...(abortStatus !== undefined || givenUp !== undefined ? { abortStatus: 'Succeeded' } : {}),
    })
  } finally {
    ending.abort()
    await watching.ended
  }
}

/**
 * libvirt lets the guest go on here when the target's last word is missing, but that word may have been lost on its way:
 * then the target runs the guest already, and there would be two of it. Not so for a move that was ended from here, nor
 * after post-copy, which libvirt knows for lost.
 */
export function isInDoubt({ stoppedToMove, migration }: LauncherState, givenUp: string | undefined): boolean {
  const { abortStatus, mode } = migration ?? {}
  return stoppedToMove === true && givenUp === undefined && abortStatus === undefined && mode === 'PreCopy'
}

/** Stops the guest at once; virt-handler lets it go on when it knows that the target does not run it. */
async function hold(domain: Domain, { log }: Launcher): Promise<void> {
  log.warn({}, 'whether the target runs the guest is not known; it stands still here')
  await domain.suspend().catch((error: unknown) => log.warn({ error }, 'the guest was not stopped'))
}

function libvirtOptions(
  { status }: VirtualMachineInstance,
  options: MigrationOptions,
  { state }: Launcher,
  socket: (port: number) => string,
): MigrateOptions {
  return {
    uri: `unix://${socket(migrationPorts.memory)}`,
    ...(status?.migrationMethod === 'BlockMigration' ? { disksUri: `unix://${socket(migrationPorts.disks)}` } : {}),
    bandwidth: Math.ceil(options.Bandwidth / mebibyte),
    autoConverge: options.AllowAutoConverge,
    postCopy: options.AllowPostCopy,
    unsafe: options.UnsafeMigration,
    paused: state.pausedByUser,
    ...(options.ParallelMigrationThreads ? { parallelConnections: options.ParallelMigrationThreads } : {}),
  }
}

function note(launcher: Launcher, migration: MigrationMetadata): void {
  launcher.state.migration = migration
  launcher.onFacts()
}

const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`
