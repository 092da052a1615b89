/**
 * Pods bound in a second, by the real kube-scheduler and by ours, on the same fake nodes in one run, both without a limit
 * on requests: `node packages/scheduler/test/bench/throughput.ts --programs DIR [--nodes 200] [--pods 2000] [--rounds 1]`.
 * All pods are there before the scheduler starts; time runs from the first to the last binding that a watch shows.
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
    rounds: { flag: 'rounds', type: 'number', default: 1, help: 'how often each scheduler runs, in turns' },
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

for (let round = 0; round < options.rounds; round++) {
  const theirs = await measure(() => plane.startKubeScheduler(profile, '-v=0'))
  const ours = await measure(startOurs)
  console.log(
    `${options.nodes} nodes, ${options.pods} pods: kube-scheduler ${theirs.toFixed(0)} pods/s, ` +
      `stickyvm-scheduler ${ours.toFixed(0)} pods/s, ratio ${(ours / theirs).toFixed(2)}`,
  )
}

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
  const bound = watchBound(client, stop.signal)
  await using program = await start()
  const { first, last } = await bound
  stop.abort()
  await program.stop()
  await each(options.pods, (index) =>
    client.delete(pods, { name: `p${index}`, namespace: 'a' }, { gracePeriodSeconds: 0 }),
  )
  return (options.pods - 1) / ((last - first) / 1000)
}

/** When the first and the last pod got its node, in milliseconds. */
async function watchBound(
  of: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly first: number; readonly last: number }> {
  const names = new Set<string>()
  let first = 0
  for await (const { object } of of.watch(pods, { namespace: 'a', signal })) {
    if (!object.spec?.nodeName) continue
    names.add(object.metadata.name)
    if (names.size === 1) first = performance.now()
    if (names.size === options.pods) break
  }
  return { first, last: performance.now() }
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
