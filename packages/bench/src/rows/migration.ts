import {
  nodes,
  pods,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
  type Pod,
  type VirtualMachineInstance,
  type VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import { bareMoves } from '../measure/bare-moves.ts'
import { ConsoleTicks, newQemuOf } from '../measure/console-ticks.ts'
import { percentile } from '../measure/percentiles.ts'
import { pauseBetween, tickingUserData } from '../measure/ticks.ts'
import { containerDiskVmi, ensureNamespace, remove, timeUntil } from '../objects/real-guests.ts'
import { median, spread, type Bench, type Row } from '../row.ts'
import { isRunning } from './vmi-start.ts'

const name = 'mover'
const movesPerRun = 4
const patienceMs = 120_000

/** Seconds of one move, and how long the guest stood still, in milliseconds. */
type Move = { readonly total: number; readonly podStart: number; readonly pauseMs: number }

/**
 * A guest of 128 MiB that moves there and back: create to Succeeded beyond its target pod's start, and how long it
 * stands still, beside the same guest that moves between two bare processes of the same QEMU.
 */
export async function migration(bench: Bench): Promise<readonly Row[]> {
  const { items } = await bench.client.list(nodes, { labelSelector: 'kubevirt.io/schedulable=true' })
  if (items.length < 2) {
    bench.say('  a move needs two nodes; this cluster has no second one')
    return []
  }
  await ensureNamespace(bench)
  const count = bench.runs * movesPerRun
  const moves: Move[] = []
  let uid = ''
  await timeUntil<VirtualMachineInstance>(bench, virtualMachineInstances, tickingVmi(bench.namespace), (vmi) => {
    uid = vmi.metadata?.uid ?? ''
    return isRunning(vmi)
  })
  const guest = `${bench.namespace}_${name}`
  let here = new ConsoleTicks(await newQemuOf(guest, new Set(), AbortSignal.timeout(patienceMs)), uid)
  try {
    await until('the guest counts', () => here.reader.ticks.length > 20)
    const disks = {
      rootDisk: '/run/kubevirt/container-disks/disk_0.img',
      seedDisk: `/run/kubevirt-ephemeral-disks/cloud-init-data/${bench.namespace}/${name}/noCloud.iso`,
      folder: '/run/kubevirt-private',
    }
    const bare = await bareMoves(here.pid, count, disks)
    for (let move = 1; move <= count; move++) {
      const found = newQemuOf(guest, new Set([here.pid]), AbortSignal.timeout(patienceMs))
      const [there, times] = await Promise.all([found.then((pid) => new ConsoleTicks(pid, uid)), oneMove(bench)])
      const before = here
      here = there
      const pause = () => pauseBetween(before.reader.ticks, there.reader.ticks)
      await until('the guest goes on', () => pause() !== undefined)
      await before.end()
      moves.push({ ...times, pauseMs: pause()! })
    }
    return rowsOf(moves, bare)
  } finally {
    await here.end()
    await remove(bench, virtualMachineInstances, name)
  }
}

function rowsOf(moves: readonly Move[], bare: Awaited<ReturnType<typeof bareMoves>>): Row[] {
  const p95 = (values: readonly number[]) => percentile(values, 0.95)
  const beyond = moves.map(({ total, podStart }) => total - podStart)
  const pauses = moves.map(({ pauseMs }) => pauseMs)
  const barePauses = bare.map(({ pauseMs }) => pauseMs)
  const seconds = (what: string, values: readonly number[]): Row => ({
    name: what,
    value: median(values),
    unit: 's',
    detail: spread(values, 's'),
  })
  const milliseconds = (what: string, values: readonly number[]): Row => ({
    name: what,
    value: p95(values),
    unit: 'ms',
    detail: `median ${median(values).toFixed(0)}; ${spread(values, 'ms')}`,
  })
  const own = median(bare.map(({ toldMs }) => toldMs))
  return [
    seconds(
      'bare QEMU: move',
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
    milliseconds('bare QEMU: pause p95', barePauses),
    { name: 'bare QEMU: pause by its own word', value: own, unit: 'ms' },
    { ...milliseconds('migration: pause p95', pauses), goal: 300 },
    { name: 'migration pause / bare QEMU', value: p95(pauses) / p95(barePauses), unit: 'x', goal: 1.5 },
  ]
}

function tickingVmi(namespace: string): VirtualMachineInstance {
  const vmi = containerDiskVmi(namespace, name)
  const { domain, volumes = [] } = vmi.spec
  const disks = [...(domain.devices.disks ?? []), { name: 'seed', disk: { bus: 'virtio' } }]
  return {
    ...vmi,
    spec: {
      ...vmi.spec,
      domain: { ...domain, devices: { ...domain.devices, disks } },
      volumes: [...volumes, { name: 'seed', cloudInitNoCloud: { userData: tickingUserData } }],
    },
  }
}

/** The pod itself is Ready only when the guest runs in it. */
const hasStarted = ({ status }: Pod): boolean =>
  status?.conditions?.some((each) => each.type === 'ContainersReady' && each.status === 'True') ?? false

/** Asks for a move and waits for its end; its target pod's start is seen by the same clock. */
async function oneMove({ client, namespace }: Bench): Promise<Pick<Move, 'total' | 'podStart'>> {
  const signal = AbortSignal.timeout(patienceMs)
  const jobs = await client.list(virtualMachineInstanceMigrations, { namespace })
  const launchers = await client.list(pods, { namespace })
  const started = performance.now()
  const created = await client.create(virtualMachineInstanceMigrations, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { generateName: 'bench-', namespace, name: '' },
    spec: { vmiName: name },
  })
  const { uid } = created.metadata
  const isOwn = (pod: Pod): boolean => pod.metadata.labels?.['kubevirt.io/migrationJobUID'] === uid
  let podStart = NaN
  const ending = new AbortController()
  const watchTarget = async (): Promise<void> => {
    let first: number | undefined
    const { resourceVersion } = launchers.metadata
    const either = AbortSignal.any([signal, ending.signal])
    for await (const { object } of client.watch(pods, { namespace, resourceVersion, signal: either })) {
      if (!isOwn(object as Pod)) continue
      first ??= performance.now()
      if (!hasStarted(object as Pod)) continue
      podStart = (performance.now() - first) / 1000
      return
    }
  }
  const target = watchTarget()
  try {
    const { resourceVersion } = jobs.metadata
    for await (const { object } of client.watch(virtualMachineInstanceMigrations, {
      namespace,
      resourceVersion,
      signal,
    })) {
      const { metadata, status } = object as VirtualMachineInstanceMigration
      if (metadata.uid !== uid) continue
      if (status?.phase === 'Failed') throw new Error(`a move failed: ${status.migrationState?.failureReason}`)
      if (status?.phase === 'Succeeded') return { total: (performance.now() - started) / 1000, podStart }
    }
    throw new Error('the watch of the move ended before it')
  } finally {
    ending.abort()
    await target.catch(() => undefined)
  }
}

async function until(what: string, is: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!is()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${patienceMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
