import { afterEach, beforeEach } from '@jest/globals'
import { events as eventResource, type VirtualMachineInstance, virtualMachineInstances } from '@kubevirt-ts/api'
import { EventRecorder, Informer, WorkQueue } from '@kubevirt-ts/controller'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { Domain, LifeCycle, StateChangeReason } from '@kubevirt-ts/domain'
import { type CmdHandlers, createNotifyClient, encodeJson } from '@kubevirt-ts/handler-launcher-com'
import { type FakeLauncher, startFakeLauncher } from '@kubevirt-ts/handler-launcher-com/testing'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { Lanes } from '@kubevirt-ts/service'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImageFile, ImageMounts } from '../src/host/container-disk/images.ts'
import type { PluggedVolumes } from '../src/host/hotplug/plugged-volumes.ts'
import type { Selinux } from '../src/host/selinux/selinux.ts'
import { openStateFolder } from '../src/host/state-folder.ts'
import { DomainCache } from '../src/launcher-clients/domain-cache.ts'
import type { GhostRecord } from '../src/launcher-clients/ghost-record.ts'
import type { Guest } from '../src/launcher-clients/guest.ts'
import { LauncherClients } from '../src/launcher-clients/launcher-clients.ts'
import { watchArrivals } from '../src/vm/early-start/arrivals.ts'
import { EarlyStarts } from '../src/vm/early-start/early-starts.ts'
import { runVmController, wakeGuests } from '../src/vm/controller.ts'
import type { GuestNetworks } from '../src/vm/deps.ts'
import { reconciler } from '../src/vm/reconcile.ts'

export const guest = { namespace: 'default', name: 'testvm', uid: 'uid-1' }
export const podUid = 'pod-1'

export const vmi = (
  more: { phase?: string; volumes?: VirtualMachineInstance['spec']['volumes'] } = {},
): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { ...guest, labels: { 'kubevirt.io/nodeName': 'node-1' }, finalizers: ['foregroundDeleteVirtualMachine'] },
  spec: {
    domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
    networks: [{ name: 'default', pod: {} }],
    terminationGracePeriodSeconds: 30,
    volumes: more.volumes ?? [{ name: 'root', containerDisk: { image: 'disk:1' } }],
  },
  status: {
    phase: more.phase ?? 'Scheduled',
    nodeName: 'node-1',
    activePods: { [podUid]: 'node-1' },
    interfaces: [{ name: 'default', podInterfaceName: 'eth0' }],
  },
})

export const domain = (status: LifeCycle, reason: StateChangeReason = 'Unknown'): Domain => ({
  metadata: guest,
  spec: {
    $type: 'qemu',
    name: 'default_testvm',
    memory: { $unit: 'b', _: '1' },
    os: { type: { $machine: 'pc-q35-10.0', _: 'hvm' } },
    devices: {
      interface: [
        { $type: 'ethernet', source: {}, alias: { $name: 'ua-default' }, mac: { $address: '02:00:00:00:00:01' } },
      ],
      disk: [
        {
          $type: 'file',
          $device: 'disk',
          source: {},
          target: { $dev: 'vda', $bus: 'virtio' },
          alias: { $name: 'ua-root' },
        },
      ],
    },
  },
  status: { status, reason },
})

/** The node of a test: renewed before each, taken down after it. */
export const node = {} as {
  client: FakeClient
  folder: string
  pods: string
  /** What the mount of a guest's images does, instead of nothing. */
  mountImages: () => Promise<void>
  mounts: { uid: string; files: readonly ImageFile[] }[]
  unmounted: string[]
  network: GuestNetworks
  plugged: PluggedVolumes
  selinux: Pick<Selinux, 'contextOf'>
  /** Whom the launcher says to be there for. */
  claim: Guest | undefined
}
const closers: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  node.folder = await mkdtemp(join(tmpdir(), 'vh-'))
  node.pods = join(node.folder, 'pods')
  for (const volume of ['sockets', 'public']) await mkdir(emptyDir(volume), { recursive: true })
  node.mounts = []
  node.mountImages = async () => undefined
  node.claim = guest
  node.unmounted = []
  const link = {
    name: 'eth0',
    mac: '',
    mtu: 1500,
    addresses: [{ family: 4, address: '198.18.1.7', prefix: 24 } as const],
    routes: [],
  }
  const cards = { default: { state: 'Finished', link } } as const
  node.plugged = fakePlugs()
  node.selinux = { contextOf: () => undefined }
  node.network = {
    setUp: async () => ({ cards }),
    tearDown: async () => undefined,
    read: async () => ({ cards }),
    remove: async () => undefined,
  }
})

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await rm(node.folder, { recursive: true })
})

/** The volumes that were plugged in, without any mount. */
function fakePlugs(): PluggedVolumes {
  const present = new Set<string>()
  return {
    names: async () => [...present],
    plug: async (_, { name }) => void present.add(name),
    unplug: async (_, name) => void present.delete(name),
    unplugAll: async () => present.clear(),
  }
}

export const emptyDir = (volume: string): string => join(node.pods, podUid, 'volumes/kubernetes.io~empty-dir', volume)

/** The node's agent without its mounts and network; the answer stops it. */
export async function startHandler(): Promise<() => Promise<void>> {
  const log = silentLog()
  const ending = new AbortController()
  const vmis = new Informer({
    client: node.client,
    resource: virtualMachineInstances,
    labelSelector: 'kubevirt.io/nodeName=node-1',
    log,
  })
  const queue = new WorkQueue({ name: 'test' })
  const wake = wakeGuests({ vmis, queue })
  const domains = new DomainCache(wake)
  const records = await openStateFolder<GhostRecord>(join(node.folder, 'ghost-records'))
  const launchers = new LauncherClients(
    {
      records,
      podsFolder: node.pods,
      domains,
      onChange: wake,
      onEvent: () => undefined,
      onSilent: () => undefined,
      log,
    },
    { resyncMs: 300_000, watchdogMs: 30_000 },
  )
  for (const known of await launchers.restore()) wake(known)
  const earlyStarts = new EarlyStarts({
    node: 'node-1',
    client: node.client,
    vmis,
    launchers,
    claim: async () => node.claim,
    onStart: wake,
    now: Date.now,
  })
  const images: ImageMounts = {
    async mount({ uid }, files) {
      await node.mountImages()
      node.mounts.push({ uid, files })
    },
    unmount: async (uid) => void node.unmounted.push(uid),
  }
  const events = new EventRecorder({ client: node.client, component: 'virt-handler', host: 'node-1', log })
  const reconcile = reconciler({
    node: 'node-1',
    podsFolder: node.pods,
    client: node.client,
    vmis,
    launchers,
    stays: new Lanes(),
    earlyStarts,
    domains,
    images,
    networks: node.network,
    plugs: node.plugged,
    virtChroot: {
      chownDevice: async () => undefined,
      chownFolder: async () => undefined,
      createImage: async () => undefined,
    },
    selinux: node.selinux,
    configuration: () => ({}),
    events,
    log,
    now: Date.now,
  })
  vmis.start(ending.signal)
  const arrivals = watchArrivals({ podsFolder: node.pods, vmis, earlyStarts, log }, ending.signal)
  const working = Promise.all([arrivals, runVmController({ vmis, queue, log }, reconcile, ending.signal)])
  const stop = async (): Promise<void> => {
    ending.abort()
    await working
    await launchers.close()
    await events.flush()
  }
  closers.push(stop)
  return stop
}

export interface StartedLauncher {
  /** The RPCs that the launcher was asked, in order. */
  readonly launcher: FakeLauncher
  readonly tell: (state: Domain) => Promise<unknown>
}

/** A launcher whose guest starts when it is synced and powers off when it is asked to. */
export async function startLauncher(
  answers: Partial<CmdHandlers> = {},
  abilities?: Parameters<typeof startFakeLauncher>[2],
): Promise<StartedLauncher> {
  let state: Domain | undefined
  const tell = async (now: Domain): Promise<unknown> => {
    state = now
    const notify = createNotifyClient(join(emptyDir('public'), 'domain-notify-pipe.sock'))
    try {
      return await notify.handleDomainEvent({ domainJSON: encodeJson(now), eventType: 'Modified' })
    } finally {
      notify.close()
    }
  }
  const becomes = (now: Domain) => async () => {
    await tell(now)
    return { success: true, message: '' }
  }
  const early = join(emptyDir('sockets'), 'launcher-init-sock')
  const launcher = await startFakeLauncher(
    early,
    {
      getDomain: async () => ({
        response: { success: true, message: '' },
        domain: state === undefined ? '' : JSON.stringify(state),
      }),
      syncVirtualMachine: async () =>
        state === undefined ? becomes(domain('Running'))() : { success: true, message: '' },
      shutdownVirtualMachine: becomes(domain('Shutoff', 'Shutdown')),
      ...answers,
    },
    abilities,
  )
  closers.push(async () => launcher[Symbol.asyncDispose]())
  await rename(early, join(emptyDir('sockets'), 'launcher-sock'))
  return { launcher, tell }
}

export const current = (): VirtualMachineInstance | undefined => node.client.objects(virtualMachineInstances)[0]

/** Waits until the VMI is as the predicate wants it. */
export async function until(predicate: (vmi: VirtualMachineInstance | undefined) => boolean): Promise<void> {
  const ending = new AbortController()
  const changes = node.client.watch(virtualMachineInstances, { signal: ending.signal })[Symbol.asyncIterator]()
  for (let next = changes.next(); !predicate(current()); next = changes.next()) await next
  ending.abort()
}

export const inPhase = (phase: string) => until((each) => each?.status?.phase === phase)

export const told = (): string[] => node.client.objects(eventResource).map(({ reason }) => reason ?? '')
