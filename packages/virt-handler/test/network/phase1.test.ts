import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkNames } from '@kubevirt-ts/vmispec'
import { buildProgram } from '../build-program.ts'
import {
  CriticalNetworkError,
  type NetworkRecord,
  type NetworkTools,
  setUpNetwork,
} from '../../src/host/network/phase1.ts'
import { virtChroot } from '../../src/host/mounts/virt-chroot.ts'
import { openStateFolder, type StateFolder } from '../../src/host/state-folder.ts'

const helper = buildProgram('virt-chroot')
afterAll(() => helper[Symbol.dispose]())

/** Network namespaces: the cluster outside, the pod, and the guest behind the pod's bridge. */
let outside: ChildProcess
let pod: ChildProcess
let guest: ChildProcess
let folder: string
let records: StateFolder<NetworkRecord>
const servers: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'network-'))
  records = await openStateFolder(folder)
  ;[outside, pod, guest] = await Promise.all([namespace(), namespace(), namespace()])
  batch(
    outside,
    `link add veth0 type veth peer name eth0 netns ${pod.pid}\naddress add 198.18.77.1/24 dev veth0\nlink set veth0 up`,
  )
  batch(
    pod,
    'link set lo up\naddress add 198.18.77.5/24 dev eth0\nlink set eth0 mtu 1400 up\nroute add default via 198.18.77.1',
  )
})

afterEach(async () => {
  await Promise.all([...servers.splice(0), guest, pod, outside].map(end))
  await rm(folder, { recursive: true })
})

async function namespace(): Promise<ChildProcess> {
  const child = spawn('unshare', ['--net', 'sh', '-c', 'echo up; exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

const enter = ({ pid }: ChildProcess): string[] => [`--net=/proc/${pid}/ns/net`]

function batch(where: ChildProcess, commands: string): void {
  execFileSync('nsenter', [...enter(where), 'ip', '-batch', '-'], { input: `${commands}\n` })
}

const show = (where: ChildProcess, ...command: string[]): string =>
  execFileSync('nsenter', [...enter(where), ...command], { encoding: 'utf8' })

/** A server that tells each caller the address it sees. */
async function serve(where: ChildProcess, port: number, host = '0.0.0.0'): Promise<void> {
  const program = `require('net').createServer((s) => s.end(s.remoteAddress)).listen(${port}, '${host}', () => console.log('up'))`
  const child = spawn('nsenter', [...enter(where), process.execPath, '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  servers.push(child)
  await new Promise((resolve) => child.stdout.once('data', resolve))
}

const ask = (where: ChildProcess, host: string, port: number): string => {
  const program = `require('net').connect({ port: ${port}, host: '${host}', timeout: 20000 }, () => {})
    .on('data', (d) => process.stdout.write(d)).on('timeout', () => process.exit(1)).on('error', (e) => { console.log(e.code); process.exit(0) })`
  return execFileSync('nsenter', [...enter(where), process.execPath, '-e', program], { encoding: 'utf8' })
}

/** A link in place of the tap, configured as the guest's DHCP client would do it. */
function attachGuest(): void {
  batch(pod, `link add guest0 type veth peer name eth0 netns ${guest.pid}\nlink set guest0 master k6t-eth0 up`)
  batch(guest, 'link set lo up\naddress add 10.0.2.2/24 dev eth0\nlink set eth0 up\nroute add default via 10.0.2.1')
}

const setUp = (ports: { port: number }[] = [], tools: Partial<NetworkTools> = {}): Promise<NetworkRecord> =>
  setUpNetwork(
    {
      records,
      virtChroot: virtChroot(helper.program),
      selinux: { contextOf: () => undefined },
      placeholder: 'bridge',
      ipv6: true,
      ...tools,
    },
    {
      uid: 'uid-1',
      pid: pod.pid as number,
      privateFolder: folder,
      cards: [
        {
          name: 'default',
          links: linkNames({ name: 'default', pod: {} }),
          queues: 1,
          attachment: { kind: 'masquerade', ports },
        },
      ],
    },
  )

test('a guest reaches the cluster under the address of its pod, and the cluster reaches the guest', async () => {
  expect(await setUp()).toMatchObject({
    cards: { default: { link: { mtu: 1400, addresses: [{ address: '198.18.77.5', prefix: 24 }] } } },
  })
  attachGuest()
  await Promise.all([serve(outside, 8080), serve(guest, 80)])

  expect(ask(guest, '198.18.77.1', 8080)).toBe('198.18.77.5')
  expect(ask(outside, '198.18.77.5', 80)).toBe('198.18.77.1')
  expect(ask(pod, '127.0.0.1', 80)).toBe('10.0.2.1')
})

test('the tap belongs to the guest user and has the MTU of the pod', async () => {
  await setUp()

  expect(show(pod, 'ip', '-details', '-o', 'link', 'show', 'tap0')).toMatch(/mtu 1400.*persist on.*user 107 group /)
  expect(show(pod, 'ip', '-o', 'link', 'show', 'k6t-eth0')).toMatch(/mtu 1400.*02:00:00:00:00:00/)
})

test("where the node has SELinux, the tap is made in the launcher's context, and nothing else is", async () => {
  const context = 'system_u:system_r:container_t:s0:c104,c812'
  const contexts: string[] = []
  const inContext: NetworkTools['virtChroot']['inContext'] = (wanted, command) => {
    contexts.push(wanted)
    return ['sh', '-c', `tee ${folder}/made | "$@"`, '', ...command]
  }
  const hands = virtChroot(helper.program)

  await setUp([], {
    virtChroot: { ...hands, inContext },
    selinux: { contextOf: (pid) => (pid === pod.pid ? context : undefined) },
  })

  expect(contexts).toEqual([context])
  expect(await readFile(`${folder}/made`, 'utf8')).toBe('tuntap add dev tap0 mode tap user 107 group 107\n')
  expect(show(pod, 'ip', '-o', 'link', 'show', 'tap0')).toMatch(/mtu 1400.* master k6t-eth0/)
})

test('a pod with IPv6 gives it to its guest too', async () => {
  batch(outside, 'address add fd77::1/64 dev veth0 nodad')
  batch(pod, 'address add fd77::5/64 dev eth0 nodad\nroute add default via fd77::1')
  await setUp()
  attachGuest()
  batch(guest, 'address add fd10:0:2::2/120 dev eth0 nodad\nroute add default via fd10:0:2::1')
  await Promise.all([serve(outside, 8080, '::'), serve(guest, 80, '::')])

  expect(ask(guest, 'fd77::1', 8080)).toBe('fd77::5')
  expect(ask(outside, 'fd77::5', 80)).toBe('fd77::1')
  expect(ask(outside, '198.18.77.5', 80)).toBe('::ffff:198.18.77.1')
})

test('only listed ports are forwarded', async () => {
  await setUp([{ port: 80 }])
  attachGuest()
  await Promise.all([serve(guest, 80), serve(guest, 81)])

  expect(ask(outside, '198.18.77.5', 80)).toBe('198.18.77.1')
  expect(ask(outside, '198.18.77.5', 81)).toContain('ECONNREFUSED')
})

test('the network is built once', async () => {
  const first = await setUp()

  expect(await setUp()).toEqual(first)
})

test('a network that an interrupted run left half built is not built upon', async () => {
  const { cards } = await setUp()
  await records.write('uid-1', { cards: { default: { ...cards.default!, state: 'Started' } } })

  await expect(setUp()).rejects.toThrow(CriticalNetworkError)
})
