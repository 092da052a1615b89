/**
 * How long one decision takes without the API server: `node packages/scheduler/test/bench/decision.ts [nodes] [pods]`.
 * Prints p50 and p99 in milliseconds for plain pods and for VMs whose home is known, on that many nodes and on 50.
 */
import type { Node, Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { listerOf, silentLog } from '@kubevirt-ts/controller/testing'
import { volumesFrom } from '@kubevirt-ts/scheduling'
import { ClusterCache } from '../../src/cache/cluster-cache.ts'
import { CycleState } from '../../src/framework/cycle-state.ts'
import type { PluginServices } from '../../src/framework/registry.ts'
import { schedulePod } from '../../src/framework/schedule-pod.ts'
import { WaitingPods } from '../../src/framework/waiting-pods.ts'
import { plugins } from '../../src/plugins/index.ts'
import { buildFrameworks } from '../../src/profiles/build-frameworks.ts'
import { readConfiguration } from '../../src/profiles/configuration.ts'

const [nodeCount = 5000, podCount = 2000] = process.argv.slice(2).map(Number)

const known = new Map(plugins.map((factory) => [factory.name, { factory, isExternal: false }]))
const configuration = readConfiguration(
  'bench',
  `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: x, plugins: { multiPoint: { enabled: [{ name: StickyVM, weight: 100 }] } } }]
`,
  [...known.keys()],
)

await measure('warm-up', nodeCount, false)
await measure('plain pods', 50, false)
await measure('plain pods', nodeCount, false)
await measure('VMs with a home', 50, true)
await measure('VMs with a home', nodeCount, true)

function nodeNumber(index: number): Node {
  return {
    metadata: {
      name: `n${index}`,
      labels: { 'kubernetes.io/hostname': `n${index}`, 'topology.kubernetes.io/zone': `z${index % 3}` },
    },
    status: {
      allocatable: { cpu: '32', memory: '128Gi', pods: '110', 'ephemeral-storage': '100Gi' },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }
}

/** A VM that lives on a node, and its instance. */
function machineNumber(index: number, nodes: number): readonly [VirtualMachine, VirtualMachineInstance] {
  const annotations = { 'home.kubevirt-ts.io/node': `n${(index * 7919) % nodes}` }
  const metadata = { name: `vm${index}`, namespace: 'a' }
  const ownerReferences = ownedBy('VirtualMachine', index)
  return [
    { metadata: { ...metadata, uid: `VirtualMachine ${index}`, annotations } } as unknown as VirtualMachine,
    { metadata: { ...metadata, uid: `VirtualMachineInstance ${index}`, ownerReferences } } as VirtualMachineInstance,
  ]
}

function ownedBy(kind: string, index: number) {
  return [{ apiVersion: 'kubevirt.io/v1', kind, name: `vm${index}`, uid: `${kind} ${index}`, controller: true }]
}

function podNumber(index: number, isOwned: boolean): Pod {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m', memory: '200Mi' } } }]
  const metadata = { name: `p${index}`, namespace: 'a', uid: `p${index}` }
  const ownerReferences = isOwned ? ownedBy('VirtualMachineInstance', index) : []
  return { metadata: { ...metadata, ownerReferences }, spec: { containers } }
}

async function measure(what: string, nodes: number, isOwned: boolean): Promise<void> {
  const all = Array.from({ length: nodes }, (_, index) => nodeNumber(index))
  const machines = Array.from({ length: podCount }, (_, index) => machineNumber(index, nodes))
  const services = {
    log: silentLog(),
    waitingPods: new WaitingPods(),
    nodes: listerOf(all),
    virtualMachines: listerOf(machines.map(([vm]) => vm)),
    instances: listerOf(machines.map(([, instance]) => instance)),
  } as unknown as PluginServices
  const framework = buildFrameworks({ configuration, plugins: known, services, pluginTimeoutMs: 1000 }).get('x')!
  const cache = new ClusterCache({
    volumes: volumesFrom({}),
    namespaceLabels: () => undefined,
    namespaces: () => [],
    ownerSelector: () => undefined,
  })
  for (const node of all) cache.setNode(node)
  const times: number[] = []
  let startIndex = 0
  for (let index = 0; index < podCount; index++) {
    const pod = podNumber(index, isOwned)
    const started = performance.now()
    const result = await schedulePod(framework, pod, new CycleState(cache.snapshot()), { startIndex })
    times.push(performance.now() - started)
    if (result.kind !== 'fits') throw new Error(`pod ${index}: ${JSON.stringify(result)}`)
    startIndex += result.evaluated
    cache.assume(pod, result.node)
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)]!.toFixed(3)
  console.log(`${what}: ${nodes} nodes, ${podCount} pods: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}
