import type { Pod } from '@kubevirt-ts/api'
import type { Snapshot } from '@kubevirt-ts/scheduling'
import { CycleState } from '../../src/framework/cycle-state.ts'
import { fitMessage } from '../../src/framework/fit-error.ts'
import type { Framework } from '../../src/framework/framework.ts'
import type { PluginServices } from '../../src/framework/registry.ts'
import { schedulePod } from '../../src/framework/schedule-pod.ts'
import { WaitingPods } from '../../src/framework/waiting-pods.ts'
import { plugins } from '../../src/plugins/index.ts'
import { buildFrameworks } from '../../src/profiles/build-frameworks.ts'
import { readConfiguration } from '../../src/profiles/configuration.ts'

const known = new Map(plugins.map((factory) => [factory.name, { factory, isExternal: false }]))

function frameworkOf(pluginsYaml: string): Framework {
  const text = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: real
  percentageOfNodesToScore: 100
  plugins: ${pluginsYaml}
`
  const configuration = readConfiguration('agreement', text, [...known.keys()])
  const services = { waitingPods: new WaitingPods() } as unknown as PluginServices
  return buildFrameworks({ configuration, plugins: known, services, pluginTimeoutMs: 1000 }).get('real')!
}

const whole = frameworkOf(`{ postFilter: { disabled: [{ name: '*' }] } }`)
const filters = whole.at('filter').map(({ plugin }) => plugin.name)
const single = new Map(
  filters.map((name) => [
    name,
    frameworkOf(
      `{ filter: { disabled: [{ name: '*' }], enabled: [{ name: ${name} }] }, postFilter: { disabled: [{ name: '*' }] } }`,
    ),
  ]),
)

export interface Verdict {
  readonly feasible: readonly string[]
  /** kube-scheduler's sentence when nothing fits. */
  readonly message: string
  /** Filters that alone keep the pod from a node which all others would take. */
  readonly decisive: readonly string[]
  /** Weighted scores by plugin and node. */
  readonly scores: ReadonlyMap<string, number>
}

export async function ourVerdict(pod: Pod, snapshot: Snapshot): Promise<Verdict> {
  const { feasible, cycle } = await feasibleBy(whole, pod, snapshot)
  let message = ''
  if (feasible.length === 0) {
    const result = await schedulePod(whole, pod, new CycleState(snapshot))
    message = result.kind === 'unfit' ? fitMessage(result.diagnosis) : result.kind
  }
  return {
    feasible,
    message,
    decisive: await decisiveFilters(pod, snapshot),
    scores: await scoresOf(pod, feasible, cycle),
  }
}

async function feasibleBy(framework: Framework, pod: Pod, snapshot: Snapshot) {
  const cycle = new CycleState(snapshot)
  const { status, nodeNames } = await framework.preFilter(pod, cycle)
  const feasible: string[] = []
  if (status.code !== 'Success') return { feasible, cycle }
  for (const node of snapshot.nodes) {
    if (nodeNames?.has(node.name) === false) continue
    if ((await framework.filter(pod, node, cycle)).code === 'Success') feasible.push(node.name)
  }
  return { feasible, cycle }
}

async function decisiveFilters(pod: Pod, snapshot: Snapshot): Promise<string[]> {
  const refusals = new Map<string, string[]>()
  for (const [name, framework] of single) {
    const rule = framework.at('filter')[0]!.plugin
    const cycle = new CycleState(snapshot)
    const prepared = await rule.preFilter?.(pod, cycle)
    for (const node of snapshot.nodes) {
      const isRefused =
        (prepared !== undefined && prepared.status.code !== 'Success' && prepared.status.code !== 'Skip') ||
        (prepared?.status.code !== 'Skip' && (await rule.filter!(pod, node, cycle)).code !== 'Success')
      if (isRefused) refusals.set(node.name, [...(refusals.get(node.name) ?? []), name])
    }
  }
  return [...new Set([...refusals.values()].filter((names) => names.length === 1).flat())]
}

async function scoresOf(pod: Pod, feasible: readonly string[], cycle: CycleState): Promise<Map<string, number>> {
  const scores = new Map<string, number>()
  if (feasible.length < 2) return scores
  const nodes = feasible.map((name) => cycle.snapshot.node(name)!)
  for (const { plugin, weight = 1 } of whole.at('score')) {
    const status = await plugin.preScore?.(pod, nodes, cycle)
    if (status?.code === 'Skip') continue
    const list: number[] = []
    for (const node of nodes) list.push(await plugin.score!(pod, node, cycle))
    await plugin.normalizeScore?.(pod, list, nodes, cycle)
    nodes.forEach(({ name }, index) => scores.set(`${plugin.name} ${name}`, list[index]! * weight))
  }
  return scores
}
