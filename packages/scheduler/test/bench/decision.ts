/**
 * How long one decision takes without the API server: `node packages/scheduler/test/bench/decision.ts [nodes] [pods]`. Prints p50 and p99 in
 * milliseconds, for plain pods and for a VM whose home is known.
 */
import type { Node, Pod } from '@kubevirt-ts/api'
import { volumesFrom } from '@kubevirt-ts/scheduling'
import { ClusterCache } from '../../src/cache/cluster-cache.ts'
import { CycleState } from '../../src/framework/cycle-state.ts'
import type { PluginServices } from '../../src/framework/registry.ts'
import { schedulePod } from '../../src/framework/schedule-pod.ts'
import { statusOf } from '../../src/framework/status.ts'
import { WaitingPods } from '../../src/framework/waiting-pods.ts'
import { plugins } from '../../src/plugins/index.ts'
import { buildFrameworks } from '../../src/profiles/build-frameworks.ts'
import { readConfiguration } from '../../src/profiles/configuration.ts'

const [nodeCount = 5000, podCount = 2000] = process.argv.slice(2).map(Number)

const home = {
  name: 'Home',
  create: () => ({
    name: 'Home',
    preFilter: (pod: Pod) =>
      pod.metadata.labels?.['home'] === undefined
        ? { status: statusOf('Skip') }
        : { status: statusOf('Success'), nodeNames: new Set([pod.metadata.labels['home']]) },
    filter: () => statusOf('Success'),
  }),
}
const known = new Map([...plugins, home].map((factory) => [factory.name, { factory, isExternal: false }]))
const configuration = readConfiguration(
  'bench',
  `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: x, plugins: { multiPoint: { enabled: [{ name: Home }] } } }]
`,
  [...known.keys()],
)
const services = { waitingPods: new WaitingPods() } as unknown as PluginServices
const framework = [...buildFrameworks({ configuration, plugins: known, services, pluginTimeoutMs: 1000 }).values()][0]!
const cache = new ClusterCache({
  volumes: volumesFrom({}),
  namespaceLabels: () => undefined,
  namespaces: () => [],
  ownerSelector: () => undefined,
})
for (let index = 0; index < nodeCount; index++) cache.setNode(nodeNumber(index))

await measure('warm-up', () => ({}))
await measure('plain pods', () => ({}))
await measure('a home is known', (index) => ({ home: `n${(index * 7919) % nodeCount}` }))

function nodeNumber(index: number): Node {
  return {
    metadata: {
      name: `n${index}`,
      labels: { 'kubernetes.io/hostname': `n${index}`, 'topology.kubernetes.io/zone': `z${index % 3}` },
    },
    status: { allocatable: { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '100Gi' } },
  }
}

function podNumber(name: string, labels: Record<string, string>): Pod {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m', memory: '200Mi' } } }]
  return { metadata: { name, namespace: 'a', uid: name, labels }, spec: { containers } }
}

async function measure(what: string, labelsOf: (index: number) => Record<string, string>): Promise<void> {
  const times: number[] = []
  let startIndex = 0
  for (let index = 0; index < podCount; index++) {
    const pod = podNumber(`${what} ${index}`, labelsOf(index))
    const started = performance.now()
    const result = await schedulePod(framework, pod, new CycleState(cache.snapshot()), { startIndex })
    times.push(performance.now() - started)
    if (result.kind !== 'fits') throw new Error(`pod ${index}: ${JSON.stringify(result)}`)
    startIndex += result.evaluated
    cache.assume(pod, result.node)
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)]!.toFixed(3)
  console.log(`${what}: ${nodeCount} nodes, ${podCount} pods: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}
