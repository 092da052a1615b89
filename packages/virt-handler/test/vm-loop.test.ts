import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { events as eventResource, type VirtualMachineInstance, virtualMachineInstances } from '@kubevirt-ts/api'
import { EventRecorder, Informer, WorkQueue } from '@kubevirt-ts/controller'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { Domain, LifeCycle, StateChangeReason } from '@kubevirt-ts/domain'
import { type CmdHandlers, createNotifyClient, encodeJson } from '@kubevirt-ts/handler-launcher-com'
import { type FakeLauncher, startFakeLauncher } from '@kubevirt-ts/handler-launcher-com/testing'
import { type FakeClient, fakeClient } from '@kubevirt-ts/kubecli/testing'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImageFile, ImageMounts } from '../src/host/container-disk/images.ts'
import type { PluggedVolumes } from '../src/host/hotplug/plugged-volumes.ts'
import { CriticalNetworkError } from '../src/host/network/phase1.ts'
import { openStateFolder } from '../src/host/state-folder.ts'
import { DomainCache } from '../src/launcher-clients/domain-cache.ts'
import type { GhostRecord } from '../src/launcher-clients/ghost-record.ts'
import { LauncherClients } from '../src/launcher-clients/launcher-clients.ts'
import { runVmController, wakeGuests } from '../src/vm/controller.ts'
import type { GuestNetworks } from '../src/vm/deps.ts'
import { reconciler } from '../src/vm/reconcile.ts'

const guest = { namespace: 'default', name: 'testvm', uid: 'uid-1' }
const podUid = 'pod-1'

const vmi = (
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

const domain = (status: LifeCycle, reason: StateChangeReason = 'Unknown'): Domain => ({
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

let folder: string
let client: FakeClient
let pods: string
let mounts: { uid: string; files: readonly ImageFile[] }[]
let unmounted: string[]
let network: GuestNetworks
let plugged: PluggedVolumes
const closers: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vh-'))
  pods = join(folder, 'pods')
  for (const volume of ['sockets', 'public']) await mkdir(emptyDir(volume), { recursive: true })
  mounts = []
  unmounted = []
  const link = {
    name: 'eth0',
    mac: '',
    mtu: 1500,
    addresses: [{ family: 4, address: '198.18.1.7', prefix: 24 } as const],
    routes: [],
  }
  const cards = { default: { state: 'Finished', link } } as const
  plugged = fakePlugs()
  network = {
    setUp: async () => ({ cards }),
    tearDown: async () => undefined,
    read: async () => ({ cards }),
    remove: async () => undefined,
  }
})

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await rm(folder, { recursive: true })
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

const emptyDir = (volume: string): string => join(pods, podUid, 'volumes/kubernetes.io~empty-dir', volume)

/** The node's agent without its mounts and network; the answer stops it. */
async function startHandler(): Promise<() => Promise<void>> {
  const log = silentLog()
  const ending = new AbortController()
  const vmis = new Informer({
    client,
    resource: virtualMachineInstances,
    labelSelector: 'kubevirt.io/nodeName=node-1',
    log,
  })
  const queue = new WorkQueue({ name: 'test' })
  const wake = wakeGuests({ vmis, queue })
  const domains = new DomainCache(wake)
  const records = await openStateFolder<GhostRecord>(join(folder, 'ghost-records'))
  const launchers = new LauncherClients(
    { records, podsFolder: pods, domains, onChange: wake, onEvent: () => undefined, onSilent: () => undefined, log },
    { resyncMs: 300_000, watchdogMs: 30_000 },
  )
  for (const known of await launchers.restore()) wake(known)
  const images: ImageMounts = {
    mount: async ({ uid }, files) => void mounts.push({ uid, files }),
    unmount: async (uid) => void unmounted.push(uid),
  }
  const events = new EventRecorder({ client, component: 'virt-handler', host: 'node-1', log })
  const reconcile = reconciler({
    node: 'node-1',
    podsFolder: pods,
    client,
    vmis,
    launchers,
    domains,
    images,
    networks: network,
    plugs: plugged,
    virtChroot: {
      chownDevice: async () => undefined,
      chownFolder: async () => undefined,
      createImage: async () => undefined,
    },
    configuration: () => ({}),
    events,
    log,
    now: Date.now,
  })
  vmis.start(ending.signal)
  const working = runVmController({ vmis, queue, log }, reconcile, ending.signal)
  const stop = async (): Promise<void> => {
    ending.abort()
    await working
    await launchers.close()
    await events.flush()
  }
  closers.push(stop)
  return stop
}

interface Guest {
  /** The RPCs that the launcher was asked, in order. */
  readonly launcher: FakeLauncher
  readonly tell: (state: Domain) => Promise<unknown>
}

/** A launcher whose guest starts when it is synced and powers off when it is asked to. */
async function startLauncher(answers: Partial<CmdHandlers> = {}): Promise<Guest> {
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
  const launcher = await startFakeLauncher(early, {
    getDomain: async () => ({
      response: { success: true, message: '' },
      domain: state === undefined ? '' : JSON.stringify(state),
    }),
    syncVirtualMachine: async () =>
      state === undefined ? becomes(domain('Running'))() : { success: true, message: '' },
    shutdownVirtualMachine: becomes(domain('Shutoff', 'Shutdown')),
    ...answers,
  })
  closers.push(async () => launcher[Symbol.asyncDispose]())
  await rename(early, join(emptyDir('sockets'), 'launcher-sock'))
  return { launcher, tell }
}

const current = (): VirtualMachineInstance | undefined => client.objects(virtualMachineInstances)[0]

/** Waits until the VMI is as the predicate wants it. */
async function until(predicate: (vmi: VirtualMachineInstance | undefined) => boolean): Promise<void> {
  const ending = new AbortController()
  const changes = client.watch(virtualMachineInstances, { signal: ending.signal })[Symbol.asyncIterator]()
  for (let next = changes.next(); !predicate(current()); next = changes.next()) await next
  ending.abort()
}

const inPhase = (phase: string) => until((each) => each?.status?.phase === phase)

const told = (): string[] => client.objects(eventResource).map(({ reason }) => reason ?? '')

test('a VMI that is handed over gets its disks, its network and a running guest', async () => {
  client = fakeClient([vmi()])
  await startLauncher()
  const stop = await startHandler()

  await inPhase('Running')
  await stop()

  expect(mounts).toEqual([{ uid: 'uid-1', files: [{ socket: 'disk_0.sock', target: 'disk_0.img' }] }])
  expect(current()?.status).toMatchObject({
    machine: { type: 'pc-q35-10.0' },
    migrationMethod: 'BlockMigration',
    volumeStatus: [{ name: 'root', target: 'vda' }],
    interfaces: [
      {
        name: 'default',
        podInterfaceName: 'eth0',
        mac: '02:00:00:00:00:01',
        ipAddress: '198.18.1.7',
        infoSource: 'domain',
        queueCount: 1,
      },
    ],
    conditions: [
      { type: 'LiveMigratable', status: 'True' },
      { type: 'StorageLiveMigratable', status: 'True' },
    ],
    phaseTransitionTimestamps: [{ phase: 'Running' }],
  })
  expect(told()).toEqual(['Created', 'Started'])
})

test('a guest starts as soon as its launcher is ready', async () => {
  client = fakeClient([vmi()])
  await startHandler()
  await startLauncher()

  await inPhase('Running')
})

test('a deleted VMI is shut down within its grace period and succeeds', async () => {
  client = fakeClient([vmi()])
  const { launcher } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')

  await client.delete(virtualMachineInstances, guest)
  await inPhase('Succeeded')
  await stop()

  expect(launcher.calls).toContain('shutdownVirtualMachine')
  expect(launcher.calls).not.toContain('killVirtualMachine')
  expect(current()?.status?.interfaces).toEqual([expect.not.objectContaining({ ipAddress: expect.anything() })])
  expect(told()).toEqual(expect.arrayContaining(['ShuttingDown', 'Stopped']))
})

test('the verdict of a guest survives a write that came in between', async () => {
  client = fakeClient([vmi()])
  const { tell } = await startLauncher()
  await startHandler()
  await inPhase('Running')
  let raced = false
  client.intercept(async ({ verb, body }) => {
    if (verb !== 'update' || raced || (body as VirtualMachineInstance).status?.phase !== 'Succeeded') return
    raced = true
    await client.patch(
      virtualMachineInstances,
      guest,
      { metadata: { annotations: { by: 'the controller' } } },
      { type: 'merge' },
    )
  })

  await tell(domain('Shutoff', 'Shutdown'))
  await inPhase('Succeeded')

  expect(raced).toBe(true)
  expect(current()?.metadata.annotations).toEqual({ by: 'the controller' })
})

test('a guest whose QEMU was killed fails with a reason and is cleaned up', async () => {
  client = fakeClient([vmi()])
  const { tell } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')

  await tell(domain('Shutoff', 'Crashed'))
  await inPhase('Failed')
  while (unmounted.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await stop()

  expect(current()?.status?.reason).toBe('Crashed')
  expect(unmounted).toEqual(['uid-1'])
  expect(told()).toContain('Stopped')
})

test('a restart of the agent does not touch a running guest and still hears how it ends', async () => {
  client = fakeClient([vmi()])
  const { launcher, tell } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')
  await stop()
  const before = launcher.calls.length

  await startHandler()
  await tell(domain('Shutoff', 'Shutdown'))
  await inPhase('Succeeded')

  const after = launcher.calls.slice(before)
  expect(after).not.toContain('shutdownVirtualMachine')
  expect(after).not.toContain('killVirtualMachine')
})

test('a VMI that vanished while the agent was away has its guest shut down', async () => {
  client = fakeClient([vmi()])
  const stopped = Promise.withResolvers<void>()
  await startLauncher({
    shutdownVirtualMachine: async () => {
      stopped.resolve()
      return { success: true, message: '' }
    },
  })
  const stop = await startHandler()
  await inPhase('Running')
  await stop()
  await client.patch(virtualMachineInstances, guest, { metadata: { finalizers: [] } }, { type: 'merge' })
  await client.delete(virtualMachineInstances, guest)
  expect(current()).toBeUndefined()

  await startHandler()

  await stopped.promise
})

test('a VMI that only lost its label keeps its guest', async () => {
  client = fakeClient([vmi()])
  const { launcher } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')

  await client.patch(
    virtualMachineInstances,
    guest,
    { metadata: { labels: { 'kubevirt.io/nodeName': null } } },
    { type: 'merge' },
  )
  await stop()

  expect(launcher.calls).not.toContain('shutdownVirtualMachine')
})

test('a guest that cannot be started is told, tried again, and told no more once it runs', async () => {
  client = fakeClient([vmi()])
  let attempts = 0
  const { tell } = await startLauncher({
    async syncVirtualMachine() {
      attempts += 1
      if (attempts === 1) return { success: false, message: 'no room for the guest' }
      await tell(domain('Running'))
      return { success: true, message: '' }
    },
  })
  await startHandler()

  await until((each) => each?.status?.conditions?.some(({ type }) => type === 'Synchronized') ?? false)
  await inPhase('Running')
  await until((each) => !each?.status?.conditions?.some(({ type }) => type === 'Synchronized'))

  expect(told()).toContain('SyncFailed')
})

test('a network that was left half built fails the VMI', async () => {
  client = fakeClient([vmi()])
  network = { ...network, setUp: () => Promise.reject(new CriticalNetworkError('half built')) }
  const { launcher } = await startLauncher()
  await startHandler()

  await inPhase('Failed')

  expect(current()?.status).toMatchObject({ reason: 'NetworkSetupFailed' })
  expect(launcher.calls).not.toContain('syncVirtualMachine')
})

test('a launcher that dies with its guest fails the VMI, and nothing is left of it on the node', async () => {
  client = fakeClient([vmi()])
  const socket = join(emptyDir('sockets'), 'launcher-sock')
  const program = `
    import { startFakeLauncher } from '@kubevirt-ts/handler-launcher-com/testing'
    const domain = process.argv[2]
    await startFakeLauncher(process.argv[1], {
      getDomain: async () => ({ response: { success: true, message: '' }, domain }),
    })
    console.log('up')`
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, socket, JSON.stringify(domain('Running'))],
    {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const stop = await startHandler()
  await inPhase('Running')
  expect(await readdir(join(folder, 'ghost-records'))).toEqual(['uid-1.json'])

  child.kill('SIGKILL')
  await inPhase('Failed')
  // What is left on the node goes in the next pass, which the stop would not wait for.
  while (unmounted.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await stop()

  expect(current()?.status?.reason).toBe('LauncherGone')
  expect(unmounted).toEqual(['uid-1'])
  expect(await readdir(join(folder, 'ghost-records'))).toEqual([])
})

test('a launcher that cannot say how its guest is does not make it fail', async () => {
  client = fakeClient([vmi({ phase: 'Running' })])
  const asked = Promise.withResolvers<void>()
  let questions = 0
  const { launcher } = await startLauncher({
    async getDomain() {
      questions += 1
      if (questions === 2) asked.resolve()
      return { response: { success: false, message: 'libvirt does not answer' }, domain: '' }
    },
    syncVirtualMachine: async () => ({ success: true, message: '' }),
  })
  const stop = await startHandler()
  await asked.promise
  await stop()

  expect(current()?.status?.phase).toBe('Running')
  expect(launcher.calls).not.toContain('deleteVirtualMachine')
})
