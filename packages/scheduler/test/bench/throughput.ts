/**
 * Pods bound in a second, by the real kube-scheduler and by ours, on the same fake nodes in one run, both without a limit
 * on requests: `node packages/scheduler/test/bench/throughput.ts --programs DIR [--nodes 200] [--pods 2000] [--rounds 6]`.
 * All pods are there before the scheduler starts; time runs from the first to the last binding that a watch shows. The
 * schedulers take turns at being first: a control plane that has just started is faster.
 */
import { namespaces, nodes, pods, type Node, type Pod } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { defineOptions, parseOptions } from '@kubevirt-ts/service'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programs, startControlPlane, startProgram, type Program } from '../agreement/control-plane.ts'

const options = parseOptions(
  defineOptions({
    programs,
    nodes: { flag: 'nodes', type: 'number', default: 200, help: 'how many fake nodes' },
    pods: { flag: 'pods', type: 'number', default: 2000, help: 'how many pods in each run' },
    rounds: { flag: 'rounds', type: 'number', default: 6, help: 'how often each scheduler runs, in turns' },
  }),
  process.argv.slice(2),
  {},
  { name: 'throughput' },
)

const binary = fileURLToPath(new URL('../../bin/stickyvm-scheduler', import.meta.url))
const profile = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: { leaderElect: false },
  profiles: [{ schedulerName: 'x' }],
}

await using folder = await mkdtempDisposable(join(tmpdir(), 'throughput-'))
await using plane = await startControlPlane(options.programs)
const { client } = plane
await client.create(namespaces, { metadata: { name: 'a' } })
await each(options.nodes, (index) => client.create(nodes, nodeNumber(index)))

const ratios: number[] = []
for (let round = 0; round < options.rounds; round++) {
  const runs = { theirs: () => plane.startKubeScheduler(profile, '-v=0'), ours: startOurs }
  const order = round % 2 === 0 ? (['theirs', 'ours'] as const) : (['ours', 'theirs'] as const)
  const rates = { theirs: 0, ours: 0 }
  for (const which of order) rates[which] = await measure(runs[which])
  const { theirs, ours } = rates
  ratios.push(ours / theirs)
  console.log(
    `${options.nodes} nodes, ${options.pods} pods, ${order[0]} first: kube-scheduler ${theirs.toFixed(0)} pods/s, ` +
      `stickyvm-scheduler ${ours.toFixed(0)} pods/s, ratio ${(ours / theirs).toFixed(2)}`,
  )
}
console.log(`median ratio of ${options.rounds} rounds: ${median(ratios).toFixed(2)}`)

async function startOurs(): Promise<Program> {
  const config = join(folder.path, 'ksc.json')
  const clientConnection = { kubeconfig: plane.kubeconfig, qps: 5000, burst: 5000 }
  await writeFile(config, JSON.stringify({ ...profile, clientConnection }))
  const flags = ['--config', config, '--bind-address', '127.0.0.1', '--secure-port', '0', '-v', '0']
  return startProgram(binary, join(folder.path, 'log'), flags)
}

async function measure(start: () => Promise<Program>): Promise<number> {
  await each(options.pods, (index) => client.create(pods, podNumber(index)))
  const stop = new AbortController()
  const { shown, bound } = watchPods(client, stop.signal)
  await shown
  await using program = await start()
  const { first, last } = await bound
  stop.abort()
  await program.stop()
  await each(options.pods, (index) =>
    client.delete(pods, { name: `p${index}`, namespace: 'a' }, { gracePeriodSeconds: 0 }),
  )
  return (options.pods - 1) / ((last - first) / 1000)
}

interface Watched {
  /** The watch is open, and has shown all pods. */
  readonly shown: Promise<void>
  /** When the first and the last pod got its node, in milliseconds. */
  readonly bound: Promise<{ readonly first: number; readonly last: number }>
}

function watchPods(of: KubeClient, signal: AbortSignal): Watched {
  const { promise: shown, resolve } = Promise.withResolvers<void>()
  const follow = async () => {
    const there = new Set<string>()
    const placed = new Set<string>()
    let first = 0
    for await (const { object } of of.watch(pods, { namespace: 'a', signal })) {
      there.add(object.metadata.name)
      if (there.size === options.pods) resolve()
      if (!object.spec?.nodeName) continue
      placed.add(object.metadata.name)
      if (placed.size === 1) first = performance.now()
      if (placed.size === options.pods) break
    }
    return { first, last: performance.now() }
  }
  return { shown, bound: follow() }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Twenty at a time. */
async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 20 }, worker))
}

function nodeNumber(index: number): Node {
  const name = `n${index}`
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `z${index % 3}` } },
    status: { allocatable: { cpu: '32', memory: '128Gi', pods: '110' } },
  }
}

function podNumber(index: number): Pod {
  const requests = { cpu: '100m', memory: '200Mi' }
  return {
    metadata: { name: `p${index}`, namespace: 'a' },
    spec: { schedulerName: 'x', containers: [{ name: 'c', image: 'i', resources: { requests } }] },
  }
}
