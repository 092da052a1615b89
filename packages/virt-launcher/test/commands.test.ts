import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { createLogger, Lane, parseOptions } from '@kubevirt-ts/service'
import type { Domain } from '@kubevirt-ts/domain'
import {
  cmdRpcs,
  createCmdClient,
  encodeVmi,
  serveCmd,
  type CmdClient,
  type RpcServer,
} from '@kubevirt-ts/handler-launcher-com'
import { LibvirtError } from '@kubevirt-ts/libvirt'
import { fakeLibvirt, type FakeLibvirt } from '@kubevirt-ts/libvirt/testing'
import { vmi, withEmptyDisk } from '@kubevirt-ts/libvmi'
import { hooksOf } from '../src/hooks/index.ts'
import { cmdHandlers } from '../src/cmd-server/handlers.ts'
import type { LibvirtAccess } from '../src/daemons/libvirt-access.ts'
import { launcherOptions } from '../src/options.ts'
import { placesOf } from '../src/places.ts'
import type { Launcher } from '../src/virtwrap/launcher.ts'
import { markGracefulShutdown } from '../src/virtwrap/operations/shutdown.ts'

let folder: string
let libvirt: FakeLibvirt
let launcher: Launcher
let server: RpcServer
let client: CmdClient

const guest = vmi()
guest.metadata.name = 'vm'
guest.metadata.namespace = 'ns'
guest.metadata.uid = 'u'
guest.spec.domain.memory = { guest: '64Mi' }
guest.spec.domain.machine = { type: 'q35' }
guest.spec.architecture = 'amd64'
const request = { vmi: encodeVmi(guest) }

/** A tap for each card, as virt-handler makes them. */
const taps = ({ spec }: VirtualMachineInstance): [string, { tap: string }][] =>
  (spec.domain.devices.interfaces ?? []).map(({ name }, index) => [name, { tap: `tap${index}` }])

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-'))
  libvirt = fakeLibvirt()
  const argv =
    `--name vm --namespace ns --uid u --allow-emulation --kubevirt-share-dir ${folder} --hotplug-disk-dir ${folder}/hotplug`.split(
      ' ',
    )
  const options = parseOptions(launcherOptions, argv, {})
  launcher = {
    options,
    places: placesOf(options, { XDG_RUNTIME_DIR: folder }),
    log: createLogger({ component: 'test', destination: { write() {} } }),
    libvirt: accessTo(libvirt),
    changes: new Lane(),
    network: { prepare: async (vmi) => new Map(taps(vmi)), release: () => {} },
    state: { pausedByUser: false, facts: {}, agent: {} },
    credentials: { follow: () => {} },
    downwardMetrics: { follow: () => {} },
    hooks: hooksOf(Promise.resolve([]), createLogger({ component: 'test', destination: { write() {} } })),
    onFacts: () => {},
  }
  const socket = join(folder, 'sock')
  server = await serveCmd(socket, cmdHandlers(launcher))
  client = createCmdClient(socket)
})
afterEach(async () => {
  client.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

function accessTo(connection: FakeLibvirt): LibvirtAccess {
  const use: LibvirtAccess['ask'] = async (task) => task(await connection.lookupByName('ns_vm'), connection)
  return { change: use, ask: use, askAgent: use, move: use, reach: async () => connection, close: async () => {} }
}

/** How many changes of the domain have been under way at the same time at most. */
function overlaps(connection: FakeLibvirt): () => number {
  let now = 0
  let most = 0
  const before = { ...launcher.libvirt }
  Object.assign(launcher.libvirt, {
    change: async (use: Parameters<LibvirtAccess['change']>[0]) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      try {
        return await before.change(use)
      } finally {
        now -= 1
      }
    },
  })
  return () => (connection.calls.length > 0 ? most : 0)
}

const ok = { success: true, message: '' }

async function reported(): Promise<Domain | undefined> {
  const { domain } = await client.getDomain({})
  return domain === '' ? undefined : (JSON.parse(domain) as Domain)
}

test('a first sync defines the guest and starts it, a second one changes nothing', async () => {
  expect(await client.syncVirtualMachine(request)).toEqual(ok)
  expect(await client.syncVirtualMachine(request)).toEqual(ok)

  expect(libvirt.calls).toEqual(['define ns_vm', 'create ns_vm'])
  expect(await reported()).toMatchObject({
    metadata: { name: 'vm', namespace: 'ns', uid: 'u' },
    status: { status: 'Running', reason: 'Booted' },
  })
})

test('a guest is made before its VMI is handed over, and runs from then on', async () => {
  const inPhase = (phase: string) => ({ vmi: encodeVmi({ ...guest, status: { phase } }) })
  expect(await client.syncVirtualMachine(inPhase('Scheduling'))).toEqual(ok)
  expect(await client.syncVirtualMachine(inPhase('Scheduling'))).toEqual(ok)
  expect(await reported()).toMatchObject({ status: { status: 'Paused' } })

  expect(await client.syncVirtualMachine(inPhase('Scheduled'))).toEqual(ok)

  expect(await reported()).toMatchObject({ status: { status: 'Running' } })
  expect(libvirt.calls).toEqual(['define ns_vm', 'create ns_vm', 'resume ns_vm'])
})

test('a guest that is to start paused stays so when its VMI is handed over', async () => {
  const paused = { ...guest, spec: { ...guest.spec, startStrategy: 'Paused' as const } }
  await client.syncVirtualMachine({ vmi: encodeVmi({ ...paused, status: { phase: 'Scheduling' } }) })
  await client.syncVirtualMachine({ vmi: encodeVmi({ ...paused, status: { phase: 'Scheduled' } }) })

  expect(await reported()).toMatchObject({ status: { status: 'Paused' } })
})

test('a guest that ended is not started again once its VMI was running', async () => {
  await client.syncVirtualMachine(request)
  libvirt.setState('ns_vm', 'shutoff', 'shutdown')

  await client.syncVirtualMachine({ vmi: encodeVmi({ ...guest, status: { phase: 'Running' } }) })

  expect(await reported()).toMatchObject({ status: { status: 'Shutoff', reason: 'Shutdown' } })
})

test('a sync resumes a guest that something else paused, but not one that the user paused', async () => {
  await client.syncVirtualMachine(request)
  libvirt.setState('ns_vm', 'paused', 'migration')
  await client.syncVirtualMachine(request)
  expect(await reported()).toMatchObject({ status: { status: 'Running' } })

  expect(await client.pauseVirtualMachine(request)).toEqual(ok)
  await client.syncVirtualMachine(request)
  expect(await reported()).toMatchObject({ status: { status: 'Paused', reason: 'User' } })

  expect(await client.unpauseVirtualMachine(request)).toEqual(ok)
  expect(await reported()).toMatchObject({ status: { status: 'Running' } })
})

test('pausing a paused guest changes nothing', async () => {
  await client.syncVirtualMachine(request)
  await client.pauseVirtualMachine(request)
  const before = libvirt.calls.length

  expect(await client.pauseVirtualMachine(request)).toEqual(ok)

  expect(libvirt.calls.length).toBe(before)
})

test.each(['pauseVirtualMachine', 'unpauseVirtualMachine', 'resetVirtualMachine', 'softRebootVirtualMachine'] as const)(
  '%s without a domain says so',
  async (rpc) => {
    expect(await client[rpc](request)).toEqual({ success: false, message: 'DomainNotFound: Domain not found.' })
  },
)

test.each(['shutdownVirtualMachine', 'killVirtualMachine', 'deleteVirtualMachine'] as const)(
  '%s without a domain has nothing left to do',
  async (rpc) => {
    expect(await client[rpc](request)).toEqual(ok)
  },
)

test('the life of a guest ends by shutdown, kill and delete', async () => {
  await client.syncVirtualMachine(request)
  libvirt.calls.length = 0

  await client.shutdownVirtualMachine(request)
  await client.killVirtualMachine(request)
  await client.killVirtualMachine(request)
  await client.deleteVirtualMachine(request)

  expect(libvirt.calls).toEqual(['shutdown ns_vm', 'setMetadata ns_vm', 'destroy ns_vm', 'undefine ns_vm'])
  expect(await reported()).toBeUndefined()
})

test('a pod that is being stopped marks its guest', async () => {
  await client.syncVirtualMachine(request)

  await markGracefulShutdown(launcher)

  using domain = (await libvirt.lookupByName('ns_vm'))!
  expect(await domain.metadata('http://kubevirt.io')).toContain('<markedForGracefulShutdown>true<')
})

test('a soft reboot goes through the agent where there is one, else by ACPI', async () => {
  await client.syncVirtualMachine(request)

  await client.softRebootVirtualMachine(request)
  launcher.state.facts = { agentConnected: true }
  await client.softRebootVirtualMachine(request)

  expect(libvirt.calls.slice(-2)).toEqual(['reboot(acpi) ns_vm', 'reboot(agent) ns_vm'])
})

test("libvirt's words reach virt-handler, and the next try works", async () => {
  const refused = new LibvirtError('create of ns_vm', { code: 38, domain: 10, message: 'no tap' })
  libvirt.failNext('create', refused)

  expect(await client.syncVirtualMachine(request)).toEqual({
    success: false,
    message: 'GuestNotStarted: create of ns_vm: no tap',
  })
  expect(await client.syncVirtualMachine(request)).toEqual(ok)
})

test('two changes at once keep each other out', async () => {
  await Promise.all([
    client.syncVirtualMachine(request),
    client.syncVirtualMachine(request),
    client.killVirtualMachine(request),
  ])

  expect(libvirt.calls).toEqual(['define ns_vm', 'create ns_vm', 'destroy ns_vm'])
})

test('two syncs, a hotplug and a shutdown at once happen one after the other', async () => {
  await client.syncVirtualMachine(request)
  libvirt.calls.length = 0
  const folder = launcher.places.guest.hotplugDisks
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plug.img'), Buffer.alloc(1024 * 1024))
  const plugged = structuredClone(guest)
  plugged.spec.volumes = [{ name: 'plug', persistentVolumeClaim: { claimName: 'claim', hotpluggable: true } }]
  plugged.spec.domain.devices.disks = [{ name: 'plug', disk: { bus: 'scsi' } }]
  plugged.status = { phase: 'Running' }
  const depth = overlaps(libvirt)

  const answers = await Promise.all([
    client.syncVirtualMachine(request),
    client.syncVirtualMachine({ vmi: encodeVmi(plugged) }),
    client.shutdownVirtualMachine(request),
    client.syncVirtualMachine({ vmi: encodeVmi(plugged) }),
  ])

  expect(answers).toEqual([ok, ok, ok, ok])
  expect(libvirt.calls.filter((call) => /Device|shutdown/.test(call))).toEqual([
    'attachDevice(ua-plug) ns_vm',
    'shutdown ns_vm',
  ])
  expect(depth()).toBe(1)
})

test('a volume that left the VMI is unplugged, and not before', async () => {
  const folder = launcher.places.guest.hotplugDisks
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plug.img'), Buffer.alloc(1024 * 1024))
  await client.syncVirtualMachine(request)
  const plugged = structuredClone(guest)
  plugged.spec.volumes = [{ name: 'plug', dataVolume: { name: 'dv', hotpluggable: true } }]
  plugged.spec.domain.devices.disks = [{ name: 'plug', disk: { bus: 'virtio' }, serial: 'S' }]

  await client.syncVirtualMachine({ vmi: encodeVmi(plugged) })
  expect((await reported())?.spec.devices.disk).toMatchObject([
    { alias: { $name: 'ua-plug' }, serial: 'S', source: { $file: `${folder}/plug.img` }, driver: { $type: 'raw' } },
  ])
  await client.syncVirtualMachine({ vmi: encodeVmi(plugged) })
  await client.syncVirtualMachine(request)

  expect(libvirt.calls.filter((call) => call.includes('Device'))).toEqual([
    'attachDevice(ua-plug) ns_vm',
    'detachDevice(ua-plug) ns_vm',
  ])
  expect((await reported())?.spec.devices.disk).toBeUndefined()
})

test('virtual CPUs and memory are plugged in by calls of their own', async () => {
  const growing = structuredClone(guest)
  growing.spec.domain.cpu = { sockets: 1, maxSockets: 4 }
  growing.spec.domain.memory = { guest: '64Mi', maxGuest: '256Mi' }
  growing.status = { memory: { guestAtBoot: '64Mi' } }
  await client.syncVirtualMachine({ vmi: encodeVmi(growing) })
  growing.spec.domain.cpu.sockets = 3
  growing.spec.domain.memory.guest = '128Mi'

  expect(await client.syncVirtualMachineCpUs({ vmi: encodeVmi(growing) })).toEqual(ok)
  expect(await client.syncVirtualMachineMemory({ vmi: encodeVmi(growing) })).toEqual(ok)

  expect(libvirt.calls.slice(-2)).toEqual(['setVcpus(3) ns_vm', 'attachDevice() ns_vm'])
})

test('a disk that cannot be made is an answer that names it', async () => {
  const broken = vmi(withEmptyDisk('scratch', '1Ki'))
  broken.metadata = { ...guest.metadata }
  broken.spec.architecture = 'amd64'

  const answer = await client.syncVirtualMachine({ vmi: encodeVmi(broken) })

  expect(answer).toEqual({
    success: false,
    message: 'EmptyDiskTooSmall: emptyDisk scratch needs at least 1Mi, not 1Ki',
  })
})

test('a screenshot is a PNG', async () => {
  await client.syncVirtualMachine(request)

  const { mime, data } = await client.getScreenshot(request)

  expect({ mime, data: data.toString() }).toEqual({ mime: 'image/png', data: 'picture' })
})

test('a memory dump goes below the hotplugged volumes and nowhere else', async () => {
  await client.syncVirtualMachine(request)
  const dumpPath = join(launcher.places.guest.hotplugDisks, 'dump/vm-dump.memory.dump')

  expect(await client.virtualMachineMemoryDump({ ...request, dumpPath: '/etc/passwd' })).toMatchObject({
    success: false,
    message: expect.stringContaining('/etc/passwd'),
  })
  expect(await client.virtualMachineMemoryDump({ ...request, dumpPath })).toEqual(ok)

  expect(libvirt.calls.at(-1)).toBe(`coreDump(${dumpPath}) ns_vm`)
})

test('a frozen guest thaws by itself when nobody comes back', async () => {
  await client.syncVirtualMachine(request)
  let status = 'thawed'
  libvirt.setAgent((command) => {
    if (command === 'guest-fsfreeze-freeze') status = 'frozen'
    if (command === 'guest-fsfreeze-thaw') status = 'thawed'
    return status
  })
  expect(await client.freezeVirtualMachine({ ...request, unfreezeTimeoutSeconds: 1 })).toMatchObject({
    success: false,
    message: expect.stringContaining('qemu-guest-agent'),
  })
  const { promise: thawed, resolve } = Promise.withResolvers<void>()
  launcher.state.facts = { agentConnected: true }
  Object.assign(launcher, { onFacts: () => launcher.state.facts.fsFreezeStatus === 'thawed' && resolve() })

  expect(await client.freezeVirtualMachine({ ...request, unfreezeTimeoutSeconds: 1 })).toEqual(ok)
  expect(status).toBe('frozen')
  expect(launcher.state.facts.fsFreezeStatus).toBe('frozen')
  await thawed

  expect(status).toBe('thawed')
})

test('a guest agent that hangs does not keep the guest from being killed', async () => {
  await client.syncVirtualMachine(request)
  launcher.state.facts = { agentConnected: true }
  const { promise: never } = Promise.withResolvers<never>()
  Object.assign(launcher.libvirt, { askAgent: () => never })

  void client.freezeVirtualMachine(request).catch(() => undefined)

  expect(await client.killVirtualMachine(request)).toEqual(ok)
})

test('a request without a VMI is refused', async () => {
  expect(await client.syncVirtualMachine({})).toEqual({
    success: false,
    message: 'Internal: the request names no VirtualMachineInstance',
  })
})

test('what is not built refuses by its name, and nothing is left unanswered', async () => {
  expect(await client.signalTargetPodCleanup(request)).toEqual({
    success: false,
    message: 'NotAvailable: signalTargetPodCleanup is not available in this version of virt-launcher',
  })
  expect(Object.keys(cmdHandlers(launcher)).toSorted()).toEqual([...cmdRpcs].toSorted())
})

test('a guest is moved once, and its end here is told with the domain', async () => {
  await client.syncVirtualMachine(request)
  const moving = { metadata: { name: 'vm', namespace: 'ns', uid: 'u' }, spec: { domain: { devices: {} } } }
  const vmiOnItsWay = encodeVmi({ ...moving, status: { migrationState: { migrationUid: 'm1' } } })
  const order = { vmi: vmiOnItsWay, options: Buffer.from('{}') }

  expect(await client.migrateVirtualMachine(order)).toEqual(ok)
  expect(await client.migrateVirtualMachine(order)).toEqual(ok)

  let told = await reported()
  while (told?.spec.metadata?.kubevirt?.migration?.endTimestamp === undefined) told = await reported()
  expect(told.status).toMatchObject({ status: 'Shutoff', reason: 'Migrated' })
  expect(told.spec.metadata?.kubevirt?.migration).toMatchObject({ uid: 'm1', mode: 'PreCopy' })
  expect(libvirt.calls.filter((call) => call.startsWith('migrate'))).toEqual(['migrate ns_vm'])
})

test('a move that libvirt refuses is told with its reason, and the guest goes on', async () => {
  await client.syncVirtualMachine(request)
  libvirt.failNext('migrate', new LibvirtError('migrate', { code: 9, domain: 10, message: 'no way there' }))
  const vmiOnItsWay = { metadata: { name: 'vm' }, spec: { domain: { devices: {} } } }
  const state = { migrationState: { migrationUid: 'm2' } }
  await client.migrateVirtualMachine({ vmi: encodeVmi({ ...vmiOnItsWay, status: state }), options: Buffer.from('{}') })

  let told = await reported()
  while (told?.spec.metadata?.kubevirt?.migration?.endTimestamp === undefined) told = await reported()
  expect(told.status.status).toBe('Running')
  expect(told.spec.metadata?.kubevirt?.migration).toMatchObject({
    failed: 'true',
    failureReason: expect.stringContaining('no way there'),
  })
})
