import { afterAll, expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { vmi, withBridge, withMasquerade } from '@kubevirt-ts/libvmi'
import { linkNames } from '@kubevirt-ts/vmispec'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlaceholderType } from '../../src/host/network/bridge.ts'
import type { CardWish } from '../../src/host/network/card.ts'
import { setUpNetwork, tearDownCard } from '../../src/host/network/phase1.ts'
import { placeholderType } from '../../src/host/network/placeholder.ts'
import { virtChroot } from '../../src/host/mounts/virt-chroot.ts'
import { openStateFolder } from '../../src/host/state-folder.ts'
import { cardWishes } from '../../src/vm/network.ts'
import { buildProgram } from '../build-program.ts'
import { dhcpv6Client, runDhcpClient } from './dhcp-client.ts'
import { namespace, type Namespace } from './namespaces.ts'

/** The launcher's part as a program; it runs in the pod's network. */
const phase2 = fileURLToPath(new URL('../../../virt-launcher/test/phase2-program.ts', import.meta.url))

const withoutSelinux = { contextOf: () => undefined }

const helper = buildProgram('virt-chroot')
afterAll(() => helper[Symbol.dispose]())

interface Case {
  readonly binding: 'masquerade' | 'bridge'
  readonly dual: boolean
  /** With 32 the router is reached by a route on the link, as some cluster networks do it. */
  readonly prefix: 24 | 32
  readonly mtu: number
}

const cases: Case[] = (['masquerade', 'bridge'] as const).flatMap((binding) =>
  [false, true].flatMap((dual) =>
    ([24, 32] as const).flatMap((prefix) => [1280, 1500, 9000].map((mtu) => ({ binding, dual, prefix, mtu }))),
  ),
)

const podMac = '0a:58:c6:12:4d:05'
const pod4 = '198.18.77.5'
const pod6 = 'fd77::5'

interface World extends AsyncDisposable {
  readonly outside: Namespace
  readonly pod: Namespace
  readonly guest: Namespace
  readonly folder: string
  readonly object: VirtualMachineInstance
  readonly cards: CardWish[]
  tearDown(): Promise<void>
}

/** The cluster outside, a pod with its network, built up for its guest, and the guest in place of a tap. */
async function world({ binding, dual, prefix, mtu }: Case, placeholder: PlaceholderType): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'matrix-'))
  const [outside, pod, guest] = await Promise.all([namespace(), namespace(), namespace()])
  const router = prefix === 24 ? '198.18.77.1' : '198.18.99.1'
  outside.ip(
    `link add veth0 mtu ${mtu} type veth peer name eth0 address ${podMac} mtu ${mtu} netns ${pod.pid}`,
    `address add ${router}/${prefix} dev veth0`,
    'link set veth0 up',
    ...(prefix === 32 ? [`route add ${pod4} dev veth0`] : []),
    ...(dual ? ['address add fd77::1/64 dev veth0 nodad'] : []),
  )
  pod.ip(
    `address add ${pod4}/${prefix} dev eth0`,
    'link set eth0 up',
    ...(prefix === 32 ? [`route add ${router} dev eth0 scope link`] : []),
    `route add default via ${router}`,
    ...(dual ? [`address add ${pod6}/64 dev eth0 nodad`, 'route add default via fd77::1'] : []),
  )
  const object = vmi(binding === 'bridge' ? withBridge() : withMasquerade())
  object.spec.hostname = 'guest'
  const cards = cardWishes(object, {})
  const records = await openStateFolder<Awaited<ReturnType<typeof setUpNetwork>>>(join(folder, 'records'))
  const where = { uid: 'uid-1', pid: pod.pid, privateFolder: folder }
  const tools = { records, virtChroot: virtChroot(helper.program), selinux: withoutSelinux, placeholder, ipv6: true }
  await setUpNetwork(tools, { ...where, cards })
  // A link in place of the tap: what is written into a tap's descriptor needs a whole guest.
  pod.ip(
    `link add guest0 mtu ${mtu} type veth peer name eth0 address ${podMac} netns ${guest.pid}`,
    'link set guest0 master k6t-eth0 up',
  )
  guest.ip('link set eth0 up')
  return {
    outside,
    pod,
    guest,
    folder,
    object,
    cards,
    tearDown: async () => {
      for (const card of cards) await tearDownCard({ records }, where, card)
    },
    async [Symbol.asyncDispose]() {
      for (const each of [guest, pod, outside]) await each[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Starts the launcher's part under a name service of its own. */
async function serveGuest({ pod, object, folder }: World): Promise<unknown> {
  const resolv = join(folder, 'resolv.conf')
  writeFileSync(resolv, 'nameserver 198.18.128.10\nnameserver fd77::53\nsearch ns.svc.cluster.local cluster.local\n')
  const command = `mount -t sysfs none /sys && mount --bind ${resolv} /etc/resolv.conf && exec "$@"`
  const program = [process.execPath, '--no-warnings', phase2, JSON.stringify(object), folder]
  return JSON.parse(await pod.start(['unshare', '--mount', 'sh', '-c', command, 'sh', ...program]))
}

/** A server that tells each caller the address it sees. */
const server = (port: number): [string, ...string[]] => [
  process.execPath,
  '-e',
  `require('net').createServer((s) => s.end(s.remoteAddress)).listen(${port}, '::', () => console.log('up'))`,
]

/** Calls a server; answers what it said or the error. */
function ask(from: Namespace, host: string, port: number): string {
  const program = `require('net').connect({ port: ${port}, host: '${host}', timeout: 20000 })
    .on('data', (d) => process.stdout.write(d)).on('timeout', () => { console.log('timeout'); process.exit(0) })
    .on('error', (e) => { console.log(e.code); process.exit(0) })`
  return from.run([process.execPath, '-e', program]).replace('::ffff:', '')
}

test.each(cases)(
  'a guest with $binding, dual $dual, /$prefix and MTU $mtu gets exactly what its pod has',
  async (each) => {
    await using it = await world(each, await placeholderType())
    const { outside, guest } = it
    const bridged = each.binding === 'bridge'

    expect(await serveGuest(it)).toEqual({ default: { tap: 'tap0', mac: podMac, mtu: each.mtu } })
    const told = runDhcpClient(guest, it.folder)

    const router = each.prefix === 24 ? '198.18.77.1' : '198.18.99.1'
    expect(told).toMatchObject({
      ip: bridged ? pod4 : '10.0.2.2',
      mask: bridged ? String(each.prefix) : '24',
      router: bridged ? router : '10.0.2.1',
      serverid: bridged ? '169.254.75.10' : '10.0.2.1',
      mtu: String(each.mtu),
      dns: '198.18.128.10',
      search: 'ns.svc.cluster.local cluster.local',
      domain: 'ns.svc.cluster.local',
      hostname: 'guest',
    })
    expect(told.staticroutes).toBe(
      !bridged ? undefined : each.prefix === 24 ? `0.0.0.0/0 ${router}` : `${router}/32 0.0.0.0 0.0.0.0/0 ${router}`,
    )

    await Promise.all([outside.start(server(8080)), guest.start(server(80))])
    expect(ask(guest, router, 8080)).toBe(pod4)
    expect(ask(outside, pod4, 80)).toBe(router)
    // A packet of the whole MTU passes.
    const size = String(each.mtu - 28)
    expect(guest.run(['busybox', 'ping', '-s', size, '-c', '1', '-W', '5', router])).toContain('1 packets received')

    if (each.dual && !bridged) {
      const six = JSON.parse(await guest.start([process.execPath, '-e', dhcpv6Client]))
      expect(six).toEqual({
        type: 7,
        address: 'fd100000000200000000000000000002',
        dns: 'fd770000000000000000000000000053',
      })
      guest.ip('address add fd10:0:2::2/120 dev eth0 nodad', 'route add default via fd10:0:2::1')
      expect(ask(guest, 'fd77::1', 8080)).toBe(pod6)
      expect(ask(outside, pod6, 80)).toBe('fd77::1')
    }
  },
  120_000,
)

test.each(['bridge', 'masquerade'] as const)(
  'after the removal of a card with %s nothing that was built for it is left',
  async (binding) => {
    await using it = await world({ binding, dual: true, prefix: 24, mtu: 1500 }, await placeholderType())

    await it.tearDown()

    const links = JSON.parse(it.pod.run(['ip', '-json', 'link', 'show'])) as { ifname: string }[]
    const own = binding === 'bridge' ? 'eth0-nic' : 'eth0'
    expect(links.map(({ ifname }) => ifname).toSorted()).toEqual([own, 'guest0', 'lo'].toSorted())
  },
  60_000,
)

test('the pod keeps its name, MAC and addresses on a placeholder when its guest takes over the link', async () => {
  await using it = await world({ binding: 'bridge', dual: true, prefix: 24, mtu: 1400 }, await placeholderType())

  const [link] = JSON.parse(it.pod.run(['ip', '-json', 'address', 'show', 'eth0'])) as [
    { address: string; mtu: number; addr_info: { local: string; scope: string }[] },
  ]

  expect(link).toMatchObject({ address: podMac, mtu: 1400 })
  const global = link.addr_info.filter(({ scope }) => scope === 'global')
  expect(global.map(({ local }) => local).toSorted()).toEqual([pod4, pod6])
}, 60_000)

test('a card on a network without addresses is bridged and gets none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matrix-'))
  await using outside = await namespace()
  await using pod = await namespace()
  const links = linkNames({ name: 'blue', multus: { networkName: 'blue' } })
  outside.ip(`link add veth0 type veth peer name ${links.pod} netns ${pod.pid}`, 'link set veth0 up')
  pod.ip(`link set ${links.pod} up`)
  const records = await openStateFolder<Awaited<ReturnType<typeof setUpNetwork>>>(join(folder, 'records'))
  const card: CardWish = {
    name: 'blue',
    links,
    queues: 1,
    attachment: { kind: 'bridge', serverAddress: '169.254.75.11' },
  }

  await setUpNetwork(
    {
      records,
      virtChroot: virtChroot(helper.program),
      selinux: withoutSelinux,
      placeholder: await placeholderType(),
      ipv6: true,
    },
    { uid: 'uid-1', pid: pod.pid, privateFolder: folder, cards: [card] },
  )

  const [bridge] = JSON.parse(pod.run(['ip', '-json', 'address', 'show', links.bridge])) as [{ addr_info: unknown[] }]
  expect(bridge.addr_info).toEqual([])
  const ports = JSON.parse(pod.run(['ip', '-json', 'link', 'show', 'master', links.bridge])) as { ifname: string }[]
  expect(ports.map(({ ifname }) => ifname).toSorted()).toEqual([links.renamedPod, links.tap].toSorted())
  rmSync(folder, { recursive: true })
}, 60_000)
