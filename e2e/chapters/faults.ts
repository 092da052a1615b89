import { expect } from '@jest/globals'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { bestWithin } from '../framework/best.ts'
import { ensure, eventually } from '../framework/eventually.ts'
import { killHandler, killInLauncher } from '../framework/faults.ts'
import { figure } from '../framework/figure.ts'
import { apply, getVm, getVmi, inLauncher, kubectl, launcherOf, qemuPid, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { watchForPhase } from '../framework/watch.ts'
import { Console, virtctl } from '../framework/virtctl.ts'
import { tinyVm, tinyVmi } from '../manifests/vms.ts'
import { beforeHandOverScenarios } from './faults/before-hand-over.ts'
import { consoleScenario } from './faults/console.ts'
import { fullDiskScenario } from './faults/full-disk.ts'
import { processesScenario } from './faults/processes.ts'

// The long form: E2E_HANDLER_KILLS=20 E2E_FAULT_GUESTS=5 E2E_QEMU_KILLS=5.
const qemuKills = Number(process.env['E2E_QEMU_KILLS'] ?? 1)
const kills = Number(process.env['E2E_HANDLER_KILLS'] ?? 1)
const guests = Array.from({ length: Math.max(3, Number(process.env['E2E_FAULT_GUESTS'] ?? 3)) }, (_, i) => `guest-${i}`)
const [first = '', second = '', third = ''] = guests
const graceSeconds = 4

export function faultsChapter(): void {
  const namespace = testNamespace('faults')

  scenario(
    `guests do not notice that virt-handler is killed (${kills} times)`,
    async () => {
      for (const name of guests) await apply(tinyVmi({ name, namespace, graceSeconds }))
      const before = await Promise.all(guests.map((name) => life(namespace, name)))
      for (let kill = 0; kill < kills; kill++) {
        const started = Date.now()
        for (const node of new Set(before.map((each) => each.node))) await killHandler(node)
        figure(`virt-handler killed (${kill + 1}), ready again`, Date.now() - started)
        for (const name of guests) expect((await getVmi(namespace, name)).status?.phase).toBe('Running')
      }
      const after = await Promise.all(guests.map((name) => life(namespace, name)))
      for (const [at, guest] of before.entries()) expect(after[at]).toEqual(guest)
    },
    400_000 + kills * 60_000,
  )

  processesScenario(namespace, first)
  consoleScenario(namespace, first)

  scenario(
    "a guest goes on without libvirt's daemon, which comes back and finds it",
    async () => {
      const before = await life(namespace, first)
      const launcher = await launcherFor(namespace, first)
      const daemons = await killInLauncher(launcher, '/usr/sbin/libvirtd')
      expect(daemons + (await killInLauncher(launcher, '/usr/sbin/virtqemud'))).toBe(1)
      await eventually('the guest can be paused', async () => {
        // An earlier try may have done it although its answer was lost.
        if (!isPaused(await getVmi(namespace, first))) await virtctl('pause', 'vmi', first, '-n', namespace)
      })
      await eventually('the VMI says so', async () => ensure(isPaused(await getVmi(namespace, first)), 'it does not'))
      await virtctl('unpause', 'vmi', first, '-n', namespace)
      await eventually('and goes on', async () => ensure(!isPaused(await getVmi(namespace, first)), 'it is paused'))
      expect(await life(namespace, first)).toEqual(before)
    },
    300_000,
  )

  scenario('a guest whose launcher is killed ends with it, and its VMI says why', async () => {
    expect(await killInLauncher(await launcherFor(namespace, first), 'virt-launcher\0')).toBe(1)
    const { status } = await vmiInPhase(namespace, first, 'Failed')
    expect(status?.reason).toBe('LauncherGone')
    await eventually('the pod has ended', async () => {
      const { status: pod } = await launcherFor(namespace, first)
      ensure(pod?.phase === 'Failed', `it is ${pod?.phase}`)
    })
  })

  scenario(
    `a guest whose QEMU is killed has Failed within two seconds, and its event names the signal (${qemuKills} times)`,
    async () => {
      for (let kill = 0; kill < qemuKills; kill++) {
        const tookMs = await bestWithin(2_000, (attempt) => killedQemu(namespace, `killed-${kill}-${attempt}`))
        expect(tookMs).toBeLessThanOrEqual(2_000)
      }
    },
    120_000 + qemuKills * 240_000,
  )

  crashAtStartScenario(namespace, second)
  fullDiskScenario(namespace, third)
  beforeHandOverScenarios(namespace)

  scenario('a guest that powers itself off has Succeeded', async () => {
    await using console = new Console(namespace, second)
    await console.logIn('root', 'kubevirt')
    console.type('poweroff\n')
    await vmiInPhase(namespace, second, 'Succeeded')
  })

  scenario('a guest that ignores the power button is ended after its grace period', async () => {
    await using console = new Console(namespace, third)
    await console.logIn('root', 'kubevirt')
    await console.ask('killall acpid; echo de""af', /deaf/)
    const started = Date.now()
    await kubectl('delete', 'vmi', third, '-n', namespace, '--timeout=120s')
    const tookMs = Date.now() - started
    figure(`deaf guest with ${graceSeconds} s of grace: delete -> gone`, tookMs)
    expect(tookMs).toBeGreaterThanOrEqual(graceSeconds * 1_000)
  })
}

/** A launcher that ends when its pod was ready but before it can be called, again and again, beside a guest that goes on. */
function crashAtStartScenario(namespace: string, other: string): void {
  scenario('a VM whose launcher crashes at its start says that it does so again and again', async () => {
    const name = 'crashing'
    const { spec, ...vm } = tinyVm({ name, namespace })
    const annotations = { 'kubevirt.io/func-test-virt-launcher-fail-fast': '' }
    // A pod of one container is ready as soon as the launcher runs.
    const devices = { logSerialConsole: false, disks: [{ name: 'root', disk: { bus: 'virtio' } }] }
    const template = {
      metadata: { ...spec.template.metadata, annotations },
      spec: {
        ...spec.template.spec,
        domain: { ...spec.template.spec.domain, devices },
        volumes: [{ name: 'root', emptyDisk: { capacity: '8Mi' } }],
      },
    }
    await apply({ ...vm, spec: { ...spec, template } })
    await eventually('the VM says so', async () => {
      const { status } = await getVm(namespace, name)
      ensure(status?.printableStatus === 'CrashLoopBackOff', `it is ${status?.printableStatus}`)
      ensure((status.startFailure?.consecutiveFailCount ?? 0) > 0, 'no failed start is counted')
    })
    expect((await getVmi(namespace, other)).status?.phase).toBe('Running')
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
  })
}

/** What stays the same as long as a guest lives: its QEMU, its boot, its place. */
async function life(namespace: string, name: string): Promise<{ pid: string; boot: string; node: string }> {
  const vmi = await vmiInPhase(namespace, name, 'Running', { timeoutMs: 120_000 })
  await using console = new Console(namespace, name)
  await console.logIn('root', 'kubevirt', 240_000)
  const shown = await console.ask('cat /proc/sys/kernel/random/boot_id', /[0-9a-f-]{36}/)
  const pid = await qemuPid(await launcherFor(namespace, name))
  return { pid, boot: shown.slice(-36), node: vmi.status?.nodeName ?? '' }
}

/** From the end of a guest's QEMU until its VMI has Failed, in milliseconds. */
async function killedQemu(namespace: string, name: string): Promise<number> {
  await apply(tinyVmi({ name, namespace, graceSeconds: 0 }))
  const { metadata } = await vmiInPhase(namespace, name, 'Running')
  const launcher = await launcherOf(namespace, metadata?.uid ?? '')
  const pid = await qemuPid(launcher)
  const failed = await watchForPhase(namespace, name, 'Failed')
  // The clock is the machine's, which this test and the pod share.
  const killed = await inLauncher(launcher, `process.kill(${pid}, 'SIGKILL'); console.log(Date.now())`)
  const tookMs = (await failed.at) - Number(killed)
  figure(`QEMU of ${name} killed: its end -> Failed`, tookMs)
  await eventually('the event names the signal', async () => {
    const about = `involvedObject.uid=${metadata?.uid},reason=Stopped`
    const events = await kubectl('get', 'events', '-n', namespace, '--field-selector', about, '-o', 'json')
    ensure(events.includes('QEMU was ended by SIGKILL'), events)
  })
  await kubectl('delete', 'vmi', name, '-n', namespace, '--timeout=120s')
  return tookMs
}

async function launcherFor(namespace: string, name: string): Promise<Pod> {
  return launcherOf(namespace, (await getVmi(namespace, name)).metadata?.uid ?? '')
}

const isPaused = ({ status }: VirtualMachineInstance): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Paused' && is === 'True') ?? false
