import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { EventRecorder, type Informer, WorkQueue } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { Lanes, type Logger, type OptionValues, type Registry } from '@kubevirt-ts/service'
import type { ClusterConfig } from '@kubevirt-ts/virt-config'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { imageMounts, type MountRecord } from './host/container-disk/images.ts'
import { pluggedVolumes, type PlugRecord } from './host/hotplug/plugged-volumes.ts'
import { emptyDirPath } from './host/isolation/pod-folder.ts'
import { virtChroot } from './host/mounts/virt-chroot.ts'
import { virtDevices } from './host/mounts/virt-devices.ts'
import { type NetworkRecord, type NetworkTools, setUpNetwork, tearDownCard } from './host/network/phase1.ts'
import { placeholderType } from './host/network/placeholder.ts'
import type { Selinux } from './host/selinux/selinux.ts'
import { openStateFolder } from './host/state-folder.ts'
import { claimedGuest } from './launcher-clients/claim.ts'
import { DomainCache } from './launcher-clients/domain-cache.ts'
import type { GhostRecord } from './launcher-clients/ghost-record.ts'
import { type Guest, vmiKey } from './launcher-clients/guest.ts'
import { LauncherClients, type LauncherClientsOptions } from './launcher-clients/launcher-clients.ts'
import { launcherEvent } from './launcher-clients/launcher-event.ts'
import { migrationAddress } from './migration/address.ts'
import { runMigrations, wakeMigrations } from './migration/controller.ts'
import type { MigrationDeps } from './migration/deps.ts'
import { movesEnded } from './migration/moves-ended.ts'
import type { Encryption } from './migration/proxy/encryption.ts'
import type { options } from './options.ts'
import { runVmController, wakeGuests } from './vm/controller.ts'
import type { GuestNetworks } from './vm/deps.ts'
import { watchArrivals } from './vm/early-start/arrivals.ts'
import { EarlyStarts } from './vm/early-start/early-starts.ts'
import { reconciler } from './vm/reconcile.ts'

/** What the node's agent gives to the work on its guests. */
export interface GuestParts {
  readonly values: OptionValues<typeof options>
  /** Who the events are from. */
  readonly component: string
  readonly client: KubeClient
  readonly node: string
  readonly vmis: Informer<VirtualMachineInstance>
  readonly targets: Informer<VirtualMachineInstance>
  readonly queue: WorkQueue
  readonly encryption: Encryption
  readonly registry: Registry
  readonly clusterConfig: ClusterConfig
  readonly selinux: Selinux
  readonly log: Logger
  readonly isStopping: () => boolean
  /** Ends the work on guests. */
  readonly signal: AbortSignal
}

export interface Guests {
  readonly launchers: LauncherClients
  /** Waits for the guests that are on their way, and tells how many still are. */
  movesEnded(timeoutMs: number): Promise<number>
  stop(): Promise<void>
}

/** Looks after this node's guests; those of an earlier run are taken up first. */
export async function startGuests(parts: GuestParts): Promise<Guests> {
  const { values, component, client, node, vmis, targets, queue, clusterConfig, log, signal } = parts
  const migrationQueue = new WorkQueue({ name: `${component}-migrations`, registry: parts.registry })
  const events = new EventRecorder({ client, component, host: node, log })
  const wakeGuest = wakeGuests({ vmis, queue })
  const wakeMigration = wakeMigrations({ vmis, targets }, migrationQueue)
  const wake = (guest: Guest): void => {
    wakeGuest(guest)
    wakeMigration(guest)
  }
  // What is left of a guest that did not come, or that has left, goes when its VMI says so.
  targets.on({ updated: (_, vmi) => wakeGuest(guestOf(vmi)), deleted: (vmi) => wakeGuest(guestOf(vmi)) })
  const domains = new DomainCache(wake)
  const launchers = new LauncherClients(
    {
      records: await openStateFolder<GhostRecord>(join(values.privateDir, 'ghost-records')),
      podsFolder: values.podsMount,
      domains,
      onChange: wake,
      ...toldEvents(parts, events),
      log,
    },
    { resyncMs: values.domainResyncPeriodSeconds * 1_000, watchdogMs: values.watchdogTimeout },
  )
  const given = await whatGuestsAreGiven(parts)
  for (const guest of await launchers.restore()) wake(guest)
  const claim = (podUid: string) => claimedGuest(values.podsMount, podUid)
  const earlyStarts = new EarlyStarts({ node, client, vmis, launchers, claim, onStart: wakeGuest, now: Date.now })
  const arrivals = watchArrivals({ podsFolder: values.podsMount, vmis, earlyStarts, log }, signal)
  const deps: MigrationDeps = {
    node,
    podsFolder: values.podsMount,
    client,
    vmis,
    launchers,
    stays: new Lanes(),
    earlyStarts,
    domains,
    ...given,
    selinux: parts.selinux,
    configuration: () => clusterConfig.configuration(),
    events,
    log,
    now: Date.now,
    targets,
    address: migrationAddress(values.podIpAddress ?? ''),
    encryption: parts.encryption,
    targetProxies: new Map(),
    sourceProxies: new Map(),
    interrupted: new Set(),
    taken: new Map(),
    isStopping: parts.isStopping,
  }
  const working = Promise.all([
    arrivals,
    runVmController({ vmis, queue, log }, reconciler(deps), signal),
    runMigrations({ vmis, targets }, migrationQueue, deps, signal),
  ])
  return {
    launchers,
    movesEnded: (timeoutMs) => movesEnded(deps, timeoutMs),
    async stop() {
      await working
      await launchers.close()
      await events.flush()
    },
  }
}

const guestOf = ({ metadata }: VirtualMachineInstance): Guest => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
})

/** What launchers tell, or fail to tell, becomes events of their guests' VMIs. */
function toldEvents(
  { vmis, log }: GuestParts,
  events: EventRecorder,
): Pick<LauncherClientsOptions, 'onEvent' | 'onSilent'> {
  return {
    onEvent(guest, event) {
      const vmi = vmis.get(vmiKey(guest))
      const told = launcherEvent(guest, event)
      if (vmi !== undefined && told !== undefined) events.event(vmi, told.type, told.reason, told.message)
    },
    onSilent(guest) {
      const vmi = vmis.get(vmiKey(guest))
      const message = 'The launcher runs but does not answer; its guest is left alone.'
      log.warn({ ...guest }, message)
      if (vmi !== undefined) events.event(vmi, 'Warning', 'LauncherUnresponsive', message)
    },
  }
}

/** Images, volumes and networks, with the records by which a later run of this process takes them back. */
async function whatGuestsAreGiven({ values, selinux }: Pick<GuestParts, 'values' | 'selinux'>) {
  const { privateDir, podsMount, kubeletPodsDir } = values
  const folders = { podsFolder: podsMount, nodePodsFolder: kubeletPodsDir }
  const helper = virtChroot()
  const records = <T>(name: string) => openStateFolder<T>(join(privateDir, name))
  return {
    virtChroot: helper,
    images: imageMounts({
      records: await records<MountRecord>('container-disk-mount-state'),
      virtChroot: helper,
      ...folders,
    }),
    plugs: pluggedVolumes({
      records: await records<PlugRecord>('hotplug-volume-mount-state'),
      virtChroot: helper,
      virtDevices: virtDevices(),
      ...folders,
    }),
    networks: await guestNetworks(join(privateDir, 'network-state'), { virtChroot: helper, selinux }, podsMount),
  }
}

async function guestNetworks(
  folder: string,
  hands: Pick<NetworkTools, 'virtChroot' | 'selinux'>,
  podsFolder: string,
): Promise<GuestNetworks> {
  const records = await openStateFolder<NetworkRecord>(folder)
  const placeholder = await placeholderType()
  const tools = { records, ...hands, placeholder, ipv6: existsSync('/proc/sys/net/ipv6') }
  return {
    setUp: ({ podUid, ...phase }) =>
      setUpNetwork(tools, { ...phase, privateFolder: emptyDirPath(podsFolder, podUid, 'private') }),
    tearDown: (where, card) => tearDownCard(tools, where, card),
    read: (uid) => records.read(uid),
    remove: (uid) => records.remove(uid),
  }
}
