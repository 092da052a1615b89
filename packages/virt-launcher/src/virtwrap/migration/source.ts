import { join } from 'node:path'
import { migrationDoubtOf, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { type MigrationMetadata, parseDomain } from '@kubevirt-ts/domain'
import {
  migrationPorts,
  migrationProxyFolder,
  migrationSocket,
  type MigrationOptions,
} from '@kubevirt-ts/handler-launcher-com'
import type { Domain, MigrateOptions, Whereabouts } from '@kubevirt-ts/libvirt'
import { VirtError } from '@kubevirt-ts/service'
import { copiesDisks } from '@kubevirt-ts/vmispec'
import type { Launcher } from '../launcher.ts'
import { syncGuestTime } from '../operations/guest-time.ts'
import { refuseArrival } from './arrival.ts'
import { copiedDisks } from './copied-disks.ts'
import { destinationXml } from './destination.ts'
import { movedBytes } from './size.ts'
import { type Versions, versionsOf, withVersions } from './versions.ts'
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
  launcher.state.moveCancelled = new AbortController()
  note(launcher, { uid, startTimestamp: now(), mode: 'PreCopy' })
  void carryOut(vmi, { ...defaults, ...wishes }, launcher)
}

/**
 * Ends a migration under way; the guest goes on here. Nothing to end is no error. While it is not known which of two
 * nodes runs the guest this is how virt-handler has both of them settle it: the target makes sure that it never runs
 * there, or refuses; told of that, the source lets it go on.
 */
export async function cancelMigration(vmi: VirtualMachineInstance, launcher: Launcher): Promise<void> {
  const { libvirt, state, log } = launcher
  const doubt = migrationDoubtOf(vmi.metadata, vmi.status?.migrationState?.migrationUid)
  if (doubt === 'asked') return refuseArrival(launcher)
  if (state.settle !== undefined) {
    if (doubt !== 'stayed')
      throw new VirtError('MigrationInDoubt', 'whether the target runs the guest is not known; it stands still here')
    return state.settle('here')
  }
  const { migration } = state
  if (migration === undefined || migration.endTimestamp !== undefined) return
  if (migration.mode === 'PostCopy')
    throw new VirtError('MigrationCannotBeCancelled', 'the guest runs at its target already (post-copy)')
  state.migration = { ...migration, abortStatus: 'Aborting' }
  state.moveCancelled?.abort(new VirtError('MigrationCancelled', 'the migration was cancelled'))
  await abortJob(libvirt)
  log.info('migration cancelled')
}

const abortJob = (libvirt: Launcher['libvirt']): Promise<void> =>
  libvirt.ask(async (domain) => {
    if (await domain?.job()) await domain?.abortJob()
  })

async function carryOut(vmi: VirtualMachineInstance, options: MigrationOptions, launcher: Launcher): Promise<void> {
  const { libvirt, log } = launcher
  const uid = vmi.metadata.uid ?? ''
  const socket = (port: number): string =>
    join(launcher.options.shareDir, migrationProxyFolder, migrationSocket(uid, port))
  const ending = new AbortController()
  const watching = watchMigration(await movedBytes(vmi, launcher), options, launcher, ending.signal)
  try {
    await libvirt.move(async (domain, connection) => {
      if (!domain) throw new VirtError('DomainNotFound', 'Domain not found.')
      const xml = destinationXml(vmi, await domain.xml({ migratable: true }))
      const copied = copiedDisks(vmi, parseDomain(await domain.xml()).devices.disk ?? [])
      const disks = copied.map(({ target }) => target.$dev)
      const wishes = {
        ...libvirtOptions(vmi, { ...options, disks }, socket),
        paused: await standsStill(domain, launcher),
      }
      const uri = daemonUri(socket(migrationPorts.control))
      await moveTo(uri, domain, { ...wishes, destinationXml: xml }, await versionsOf(connection), launcher)
    })
    log.info('the guest has moved')
    note(launcher, { ...launcher.state.migration, endTimestamp: now() })
  } catch (error) {
    log.warn({ error }, 'the guest could not be moved')
    const { abortStatus, inDoubt, ...migration } = launcher.state.migration ?? {}
    const givenUp = watching.reason()
    note(launcher, {
      ...migration,
      endTimestamp: now(),
      failed: 'true',
      failureReason: givenUp ?? (abortStatus ? 'the migration was cancelled' : (error as Error).message),
      // Ended from here, by somebody or for its time: what the network said of that is no reason.
      ...(abortStatus !== undefined || givenUp !== undefined ? { abortStatus: 'Succeeded' } : {}),
    })
    if (inDoubt !== undefined) syncGuestTime(launcher)
  } finally {
    ending.abort()
    await watching.ended
  }
}

/** Leads the guest to another node's libvirt. Resolves when it runs there, rejects when it goes on here. */
async function moveTo(
  uri: string,
  domain: Domain,
  wishes: MigrateOptions,
  here: Versions,
  launcher: Launcher,
): Promise<void> {
  const { libvirt, log, state } = launcher
  const destination = await libvirt.reach(uri)
  try {
    destination.onLost(() => {
      if (state.settle === undefined)
        void abortJob(libvirt).catch((error: unknown) => log.warn({ error }, 'not aborted'))
    })
    const there = await versionsOf(destination)
    const guide = {
      whereIsIt: () => whereIsIt(launcher),
      ...(state.moveCancelled === undefined ? {} : { cancelled: state.moveCancelled.signal }),
    }
    await domain.migrate(destination, wishes, guide).catch((error: unknown) => {
      throw withVersions(error, here, there)
    })
  } finally {
    await destination.close()
  }
}

/**
 * The target's last word is missing. Whether it was lost on its way, and the target runs the guest, only virt-handler
 * can find out; the guest stands still until then. After post-copy it never runs here again, whoever knows what.
 */
async function whereIsIt(launcher: Launcher): Promise<Whereabouts> {
  const { log, state } = launcher
  if (state.migration?.mode === 'PostCopy') return 'here'
  log.warn({}, 'whether the target runs the guest is not known; it stands still here')
  const { promise, resolve } = Promise.withResolvers<Whereabouts>()
  state.settle = resolve
  note(launcher, { ...state.migration, inDoubt: 'true' })
  try {
    return await promise
  } finally {
    delete state.settle
  }
}

/** Such a guest arrives as it left. */
async function standsStill(domain: Domain, { state }: Launcher): Promise<boolean> {
  return state.pausedByUser || (await domain.state()).state === 'paused'
}

function libvirtOptions(
  vmi: VirtualMachineInstance,
  options: MigrationOptions & { readonly disks: readonly string[] },
  socket: (port: number) => string,
): MigrateOptions {
  return {
    uri: `unix://${socket(migrationPorts.memory)}`,
    ...(copiesDisks(vmi) && options.disks.length > 0
      ? { copied: { disks: options.disks, uri: `unix://${socket(migrationPorts.disks)}` } }
      : {}),
    bandwidth: Math.ceil(options.Bandwidth / mebibyte),
    autoConverge: options.AllowAutoConverge,
    postCopy: options.AllowPostCopy,
    unsafe: options.UnsafeMigration,
    ...(options.ParallelMigrationThreads ? { parallelConnections: options.ParallelMigrationThreads } : {}),
  }
}

function note(launcher: Launcher, migration: MigrationMetadata): void {
  launcher.state.migration = migration
  launcher.onFacts()
}

const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`
