/**
 * Whom our scheduler would evict for a pod, and for which node, compared with what the real kube-scheduler does:
 * `node packages/scheduler/test/agreement/preemption.ts --programs DIR [--clusters 100] [--seed 1]`.
 * Equal must be: whether the pod fits as it is, the nominated node, the victims, and the sentence when nobody is evicted.
 */
import {
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
  type KubeObject,
  type Pod,
  type PodDisruptionBudget,
  type ResourceType,
} from '@kubevirt-ts/api'
import { listerOf, silentLog } from '@kubevirt-ts/controller/testing'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { snapshotOf } from '@kubevirt-ts/scheduling'
import { defineOptions, parseOptions } from '@kubevirt-ts/service'
import { setTimeout as sleep } from 'node:timers/promises'
import { CycleState } from '../../src/framework/cycle-state.ts'
import { fitMessage } from '../../src/framework/fit-error.ts'
import type { PluginServices } from '../../src/framework/registry.ts'
import { schedulePod } from '../../src/framework/schedule-pod.ts'
import { messageOf } from '../../src/framework/status.ts'
import { WaitingPods } from '../../src/framework/waiting-pods.ts'
import { plugins } from '../../src/plugins/index.ts'
import { buildFrameworks } from '../../src/profiles/build-frameworks.ts'
import { readConfiguration } from '../../src/profiles/configuration.ts'
import { programs, startControlPlane } from './control-plane.ts'
import { priorities, randomCrowd, type Crowd } from './random-crowd.ts'

const options = parseOptions(
  defineOptions({
    programs,
    clusters: { flag: 'clusters', type: 'number', default: 100, help: 'how many clusters, with one pod each' },
    seed: { flag: 'seed', type: 'number', default: 1, help: 'the first cluster' },
  }),
  process.argv.slice(2),
  {},
  { name: 'preemption' },
)

interface Outcome {
  readonly fits: boolean
  readonly node: string
  readonly victims: readonly string[]
  /** What the pod is told when nobody is evicted for it. */
  readonly message: string
}

const priorityClasses: ResourceType<KubeObject> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
}
const configuration = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  percentageOfNodesToScore: 100,
  profiles: [{ schedulerName: 'real' }],
}
/** Longer than informers take to hear of a change. */
const settleMs = 400

await using plane = await startControlPlane(options.programs)
const { client } = plane
await plane.startKubeScheduler({ ...configuration, leaderElection: { leaderElect: false } }, '-v=2')
await client.create(namespaces, { metadata: { name: 'a' } })
for (const [name, priority] of Object.entries(priorities)) {
  await client.create(priorityClasses, { metadata: { name }, ...priority } as KubeObject)
}

const counts = { fits: 0, evicts: 0, refused: 0, different: 0, victims: 0, budgets: 0 }
for (let index = 0; index < options.clusters; index++) {
  const crowd = randomCrowd(options.seed + index)
  await build(client, crowd)
  await sleep(settleMs)
  const ours = await ourOutcome(client, crowd)
  const theirs = await theirOutcome(client, crowd.candidate, ours)
  count(crowd, ours, theirs)
  await clear(client)
  if ((index + 1) % 20 === 0) console.log(`${index + 1} clusters: ${JSON.stringify(counts)}`)
}
console.log(
  `${options.clusters} pods from seed ${options.seed}: ${counts.fits} fit as it is, for ${counts.evicts} others are ` +
    `evicted (${counts.victims} victims, ${counts.budgets} times beside disruption budgets), ${counts.refused} are ` +
    `refused; different from kube-scheduler: ${counts.different}`,
)
process.exitCode = counts.different === 0 ? 0 : 1

async function build(to: KubeClient, { nodes: wanted, placed, budgets }: Crowd): Promise<void> {
  const status = { type: 'merge', subresource: 'status' } as const
  await Promise.all(
    wanted.map(async (node) => {
      await to.create(nodes, node)
      await to.patch(nodes, { name: node.metadata.name }, { status: node.status }, status)
    }),
  )
  await Promise.all([
    ...placed.map(async (pod) => {
      await to.create(pods, pod)
      await to.patch(pods, { name: pod.metadata.name, namespace: 'a' }, { status: pod.status }, status)
    }),
    ...budgets.map(async (budget) => {
      await to.create(podDisruptionBudgets, budget)
      const reference = { name: budget.metadata.name, namespace: 'a' }
      await to.patch(podDisruptionBudgets, reference, { status: budget.status }, status)
    }),
  ])
}

async function ourOutcome(from: KubeClient, { candidate }: Crowd): Promise<Outcome> {
  const [allNodes, allPods, budgets] = await Promise.all([
    from.list(nodes),
    from.list(pods),
    from.list(podDisruptionBudgets),
  ])
  // As the API server will make it, with its priority.
  const pod = await from.create(pods, candidate, { dryRun: true })
  const victims: string[] = []
  const framework = frameworkWith(budgets.items, (name) => victims.push(name))
  const cycle = new CycleState(snapshotOf({ nodes: allNodes.items, pods: allPods.items, namespaces: { a: {} } }))
  const result = await schedulePod(framework, pod, cycle, { percentageOfNodesToScore: 100 })
  if (result.kind === 'fits') return { fits: true, node: '', victims, message: '' }
  if (result.kind === 'failed') throw new Error(messageOf(result.status))
  const { status, nominatedNode = '' } = await framework.postFilter(pod, cycle, result.diagnosis.statuses)
  const message = fitMessage({ ...result.diagnosis, postFilterMessage: messageOf(status) })
  return { fits: false, node: nominatedNode, victims: victims.toSorted(), message: nominatedNode === '' ? message : '' }
}

function frameworkWith(budgets: readonly PodDisruptionBudget[], onDelete: (name: string) => void) {
  const services = {
    client: {
      patch: async () => undefined,
      delete: async (_resource: unknown, { name }: { name: string }) => onDelete(name),
    },
    events: { event: () => undefined },
    log: silentLog(),
    waitingPods: new WaitingPods(),
    disruptionBudgets: listerOf([...budgets]),
  } as unknown as PluginServices
  const known = new Map(plugins.map((factory) => [factory.name, { factory, isExternal: false }]))
  const read = readConfiguration('preemption', JSON.stringify(configuration), [...known.keys()])
  return buildFrameworks({ configuration: read, plugins: known, services, pluginTimeoutMs: 1000 }).get('real')!
}

/** Victims are evicted one after the other beside the decision, so ours are waited for, for a while. */
async function theirOutcome(to: KubeClient, candidate: Pod, ours: Outcome): Promise<Outcome> {
  const { name } = await to.create(pods, candidate).then(({ metadata }) => metadata)
  for (const end = Date.now() + 20_000; ; await sleep(20)) {
    const now = (await to.list(pods, { namespace: 'a' })).items
    const pod = now.find(({ metadata }) => metadata.name === name)!
    const victims = now.filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name)
    const node = pod.status?.nominatedNodeName ?? ''
    const told = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    const fits = Boolean(pod.spec.nodeName)
    const message = fits || node !== '' || told?.status !== 'False' ? '' : (told.message ?? '')
    const outcome = { fits, node, victims: victims.toSorted(), message }
    const isDecided = fits || node !== '' || message !== ''
    if (isDecided && (isSame(outcome, ours) || Date.now() > end - 17_000)) return outcome
    if (Date.now() > end) throw new Error(`kube-scheduler said nothing about ${name}`)
  }
}

function isSame(a: Outcome, b: Outcome): boolean {
  return a.fits === b.fits && a.node === b.node && a.victims.join() === b.victims.join() && a.message === b.message
}

function count({ budgets }: Crowd, ours: Outcome, theirs: Outcome): void {
  if (theirs.fits) counts.fits += 1
  else if (theirs.node === '') counts.refused += 1
  else {
    counts.evicts += 1
    counts.victims += theirs.victims.length
    if (budgets.length > 0) counts.budgets += 1
  }
  if (isSame(ours, theirs)) return
  counts.different += 1
  console.log(`ours   ${JSON.stringify(ours)}\ntheirs ${JSON.stringify(theirs)}`)
}

async function clear(from: KubeClient): Promise<void> {
  for (const resource of [pods, podDisruptionBudgets, nodes] as ResourceType<KubeObject>[]) {
    const { items } = await from.list(resource)
    await Promise.all(
      items.map(({ metadata: { name, namespace } }) =>
        from.delete(resource, { name, ...(namespace === undefined ? {} : { namespace }) }, { gracePeriodSeconds: 0 }),
      ),
    )
  }
}
