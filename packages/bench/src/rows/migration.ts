import { nodes, pods, virtualMachineInstances, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { bareMoves, type BareMove } from '../measure/bare-moves.ts'
import { ConsoleTicks, newQemuOf } from '../measure/console-ticks.ts'
import { oneMove } from '../measure/one-move.ts'
import { percentile } from '../measure/percentiles.ts'
import { PeakMemory } from '../measure/peak-memory.ts'
import { pauseBetween, tickingUserData } from '../measure/ticks.ts'
import { containerDiskVmi, ensureNamespace, remove, timeUntil } from '../objects/real-guests.ts'
import { median, spread, type Bench, type Row } from '../row.ts'
import { isRunning } from './vmi-start.ts'

const patienceMs = 240_000
const bareMovesOf = 'bare QEMU'

/** A guest that moves; its node agents pass its memory on, and its disks where it may write to them. */
type Mover = {
  readonly name: string
  readonly guestMiB: number
  readonly filledMiB: number
  readonly writes: boolean
}

const small: Mover = { name: 'mover', guestMiB: 128, filledMiB: 0, writes: true }
/** The like of bare QEMU's guest, whose disks are read only. */
const reader: Mover = { ...small, name: 'reader', writes: false }
/** So much more to pass on that agents which kept some of it would show. */
const large: Mover = { name: 'large-mover', guestMiB: 768, filledMiB: 512, writes: true }
const largeMoves = 2

/** Seconds of one move, how long the guest stood still, and by how much the two agents grew on the way. */
type Move = { readonly total: number; readonly podStart: number; readonly pauseMs: number; readonly agentsMiB: number }

/**
 * A guest of 128 MiB that moves there and back, once in each run: create to Succeeded beyond its target pod's start, and
 * how long it stands still, with disks that are copied and with such that are only read; the latter beside the same guest
 * that moves between two bare processes of the same QEMU. Then one that has more to pass on: the agents in between must
 * not grow with it.
 */
export async function migration(bench: Bench): Promise<readonly Row[]> {
  const { items } = await bench.client.list(nodes, { labelSelector: 'kubevirt.io/schedulable=true' })
  if (items.length < 2) {
    bench.say('  a move needs two nodes; this cluster has no second one')
    return []
  }
  await ensureNamespace(bench)
  const { moves: reading, bare } = await movesOf(reader, { count: bench.runs, withBare: true }, bench)
  const { moves } = await movesOf(small, { count: bench.runs, withBare: false }, bench)
  const { moves: largest } = await movesOf(large, { count: largeMoves, withBare: false }, bench)
  return [...rowsOf({ moves, reading, bare }), ...memoryRows(moves, largest)]
}

type Wanted = { readonly count: number; readonly withBare: boolean }
type Measured = { readonly moves: readonly Move[]; readonly bare: readonly BareMove[] }
type AllMoves = Measured & { readonly reading: readonly Move[] }

async function movesOf(mover: Mover, { count, withBare }: Wanted, bench: Bench): Promise<Measured> {
  const { name } = mover
  const moves: Move[] = []
  let uid = ''
  const vmi = tickingVmi(bench.namespace, mover)
  await timeUntil<VirtualMachineInstance>(bench, virtualMachineInstances, vmi, (seen) => {
    uid = seen.metadata?.uid ?? ''
    return isRunning(seen)
  })
  const selected = { namespace: 'kubevirt', labelSelector: 'kubevirt.io=virt-handler' }
  const agentPods = (await bench.client.list(pods, selected)).items.map(({ metadata }) => metadata.uid ?? '')
  const guest = `${bench.namespace}_${name}`
  let here = new ConsoleTicks(await newQemuOf(guest, new Set(), AbortSignal.timeout(patienceMs)), uid)
  try {
    await until('the guest counts', () => here.reader.ticks.length > 20)
    const disks = {
      rootDisk: '/run/kubevirt/container-disks/disk_0.img',
      seedDisk: `/run/kubevirt-ephemeral-disks/cloud-init-data/${bench.namespace}/${name}/noCloud.iso`,
      folder: '/run/kubevirt-private',
    }
    const tell = (move: number, { totalMs, pauseMs }: BareMove): void =>
      bench.say(`  ${bareMovesOf}, move ${move}: ${totalMs.toFixed(0)} ms, pause ${pauseMs.toFixed(0)} ms`)
    const bare = withBare ? await bareMoves(here.pid, count, disks, tell) : []
    for (let move = 1; move <= count; move++) {
      const agents = await PeakMemory.of('/app/virt-handler.mjs', agentPods)
      const found = newQemuOf(guest, new Set([here.pid]), AbortSignal.timeout(patienceMs))
      const [there, times] = await Promise.all([found.then((pid) => new ConsoleTicks(pid, uid)), oneMove(name, bench)])
      const before = here
      here = there
      const pause = () => pauseBetween(before.reader.ticks, there.reader.ticks)
      await until('the guest goes on', () => pause() !== undefined)
      await before.end()
      const done = { ...times, pauseMs: pause()!, agentsMiB: await agents.growthMiB() }
      moves.push(done)
      bench.say(
        `  ${name}, move ${move} of ${count}: ${done.total.toFixed(2)} s (target pod ${done.podStart.toFixed(2)} s), pause ${done.pauseMs.toFixed(0)} ms, agents +${done.agentsMiB.toFixed(1)} MiB`,
      )
    }
    return { moves, bare }
  } finally {
    await here.end()
    await remove(bench, virtualMachineInstances, name)
  }
}

function rowsOf({ moves, reading, bare }: AllMoves): Row[] {
  const p95 = (values: readonly number[]) => percentile(values, 0.95)
  const beyond = moves.map(({ total, podStart }) => total - podStart)
  const pausesOf = (of: readonly Move[]) => of.map(({ pauseMs }) => pauseMs)
  const barePauses = bare.map(({ pauseMs }) => pauseMs)
  const seconds = (what: string, values: readonly number[]): Row => ({
    name: what,
    value: median(values),
    unit: 's',
    detail: spread(values, 's'),
  })
  const milliseconds = (what: string, values: readonly number[]): [Row, Row] => [
    { name: `${what} p50`, value: median(values), unit: 'ms', detail: spread(values, 'ms') },
    { name: `${what} p95`, value: p95(values), unit: 'ms' },
  ]
  const own = median(bare.map(({ toldMs }) => toldMs))
  const [copied50, copied95] = milliseconds('migration: pause, its disks are copied', pausesOf(moves))
  const [pause50, pause95] = milliseconds('migration: pause', pausesOf(reading))
  return [
    seconds(
      `${bareMovesOf}: move`,
      bare.map(({ totalMs }) => totalMs / 1000),
    ),
    seconds(
      'target pod: created -> containers ready',
      moves.map(({ podStart }) => podStart),
    ),
    seconds(
      'migration: created -> Succeeded',
      moves.map(({ total }) => total),
    ),
    { ...seconds('migration beyond its target pod', beyond), goal: 3 },
    ...milliseconds(`${bareMovesOf}: pause`, barePauses),
    { name: `${bareMovesOf}: pause by its own word`, value: own, unit: 'ms' },
    pause50,
    { ...pause95, goal: 300 },
    copied50,
    { ...copied95, goal: 300 },
    { name: 'migration pause / bare QEMU', value: p95(pausesOf(reading)) / p95(barePauses), unit: 'x', goal: 1.5 },
  ]
}

/** A heap takes what it is given before it is swept: what grows with the guest shows as a multiple of this. */
const heapMiB = 24

function memoryRows(moves: readonly Move[], largest: readonly Move[]): Row[] {
  const row = (mover: Mover, values: readonly number[]): Row => ({
    name: `agents on both sides, while ${mover.guestMiB} MiB move`,
    value: median(values),
    unit: 'MiB',
    detail: `most beyond before; ${spread(values, 'MiB')}`,
  })
  const [one, other] = [moves, largest].map((each) => each.map(({ agentsMiB }) => agentsMiB))
  const before = row(small, one ?? [])
  const after = row(large, other ?? [])
  const more = `of ${large.filledMiB} MiB more that pass through`
  return [
    before,
    after,
    {
      name: 'agents: more for the larger guest',
      value: after.value - before.value,
      unit: 'MiB',
      goal: heapMiB,
      detail: more,
    },
  ]
}

function tickingVmi(namespace: string, { name, guestMiB, filledMiB, writes }: Mover): VirtualMachineInstance {
  const vmi = containerDiskVmi(namespace, name)
  const { domain, volumes = [] } = vmi.spec
  const memory = { guest: `${guestMiB}Mi` }
  const userData = tickingUserData({ filledMiB })
  const disks = ['root', 'seed'].map((disk) => ({ name: disk, disk: { bus: 'virtio', readonly: !writes } }))
  return {
    ...vmi,
    spec: {
      ...vmi.spec,
      domain: { ...domain, memory, devices: { ...domain.devices, disks } },
      volumes: [...volumes, { name: 'seed', cloudInitNoCloud: { userData } }],
    },
  }
}

async function until(what: string, is: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!is()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${patienceMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
