import { virtualMachineInstances, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { createCmdClient, type CmdClient } from '@kubevirt-ts/handler-launcher-com'
import { startBareEcho, type BareEcho } from '../measure/bare-echo.ts'
import { percentilesOf } from '../measure/percentiles.ts'
import { containerDiskVmi, ensureNamespace, remove, timeUntil } from '../objects/real-guests.ts'
import { listProcesses } from '../processes.ts'
import { isRunning } from './vmi-start.ts'
import type { Bench, Row } from '../row.ts'

const warmUpCalls = 100
const callsAtOnce = 100
const rounds = 10
/** Every so often a call, while the launcher asks libvirt for its guest's statistics without a pause. */
const tickMs = 5
const busyMs = 15_000

type Call = () => Promise<unknown>

/** A call to a launcher beside one to a bare server with the same flags and processors, in turns; then while the launcher works. */
export async function launcherCalls(bench: Bench): Promise<readonly Row[]> {
  await ensureNamespace(bench)
  const name = 'calls'
  await timeUntil<VirtualMachineInstance>(
    bench,
    virtualMachineInstances,
    containerDiskVmi(bench.namespace, name),
    isRunning,
  )
  const pid = await guestPid(bench.namespace, name)
  // Not by /var/run: that is an absolute link, which would lead out of the pod.
  const launcher = createCmdClient(`/proc/${pid}/root/run/kubevirt/sockets/launcher-sock`)
  const bare = await startBareEcho(pid)
  try {
    return [...(await inTurns(launcher, bare)), ...(await whileBusy(launcher, bare))]
  } finally {
    launcher.close()
    await bare.close()
    await remove(bench, virtualMachineInstances, name)
  }
}

/** QEMU's, which lives where its launcher does. */
async function guestPid(namespace: string, name: string): Promise<number> {
  const guest = (await listProcesses()).find(({ command }) => command.includes(`guest=${namespace}_${name},`))
  if (!guest) throw new Error(`no QEMU of ${name} was found`)
  return guest.pid
}

async function inTurns(launcher: CmdClient, bare: BareEcho): Promise<Row[]> {
  const ping = (): Promise<unknown> => launcher.ping({})
  await timed(ping, warmUpCalls)
  await timed(bare.call, warmUpCalls)
  const launcherMs: number[] = []
  const bareMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    bareMs.push(...(await timed(bare.call, callsAtOnce)))
    launcherMs.push(...(await timed(ping, callsAtOnce)))
  }
  const reference = percentilesOf(bareMs)
  const measured = percentilesOf(launcherMs)
  const detail = `${launcherMs.length} calls`
  return [
    { name: 'bare gRPC echo: p50', value: reference.p50, unit: 'ms', detail: `p99 ${reference.p99.toFixed(2)} ms` },
    { name: 'launcher call: p50', value: measured.p50, unit: 'ms', detail: `p99 ${measured.p99.toFixed(2)} ms` },
    { name: 'launcher call / bare echo', value: measured.p50 / reference.p50, unit: 'x', goal: 1.2, detail },
  ]
}

async function timed(call: Call, count: number): Promise<number[]> {
  const times: number[] = []
  for (let each = 0; each < count; each++) times.push(await time(call))
  return times
}

async function time(call: Call): Promise<number> {
  const started = performance.now()
  await call()
  return performance.now() - started
}

/** What a call takes bounds how long the launcher's event loop stood still. The bare server shows the machine's part. */
async function whileBusy(launcher: CmdClient, bare: BareEcho): Promise<Row[]> {
  const until = performance.now() + busyMs
  const isOver = (): boolean => performance.now() >= until
  const work = async (): Promise<number> => {
    let done = 0
    for (; !isOver(); done++) await launcher.getDomainStats({})
    return done
  }
  const [stats, launcherMs, bareMs] = await Promise.all([
    work(),
    ticking(() => launcher.ping({}), isOver),
    ticking(bare.call, isOver),
  ])
  const measured = percentilesOf(launcherMs)
  const detail = `p50 ${measured.p50.toFixed(2)} ms, ${stats} questions for statistics meanwhile`
  return [
    { name: 'bare gRPC echo beside a busy launcher: p99', value: percentilesOf(bareMs).p99, unit: 'ms' },
    { name: 'launcher call while it is busy: p99', value: measured.p99, unit: 'ms', goal: 20, detail },
  ]
}

async function ticking(call: Call, isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    times.push(await time(call))
    await new Promise((resolve) => setTimeout(resolve, tickMs))
  }
  return times
}
