import { pods, type Pod } from '@kubevirt-ts/api'
import { podInfoOf, priorityOf, type NodeInfo, type PodInfo } from '@kubevirt-ts/scheduling'
import type { CycleState } from '../../framework/cycle-state.ts'
import { fitMessage } from '../../framework/fit-error.ts'
import type { PostFilterResult } from '../../framework/plugin.ts'
import type { PluginFactory, PluginServices } from '../../framework/registry.ts'
import { failure, statusOf, type Status } from '../../framework/status.ts'
import { budgetViolations } from './disruption-budgets.ts'
import { pickNode, type Candidate } from './pick-node.ts'

interface Limits {
  readonly percentage: number
  readonly absolute: number
}

/** Makes room for a pod by evicting pods of lower priority, as few and as unimportant as can be. */
export const defaultPreemption: PluginFactory = {
  name: 'DefaultPreemption',
  create: (args, services) => {
    const given = args?.fields('apiVersion', 'kind', 'minCandidateNodesPercentage', 'minCandidateNodesAbsolute')
    const limits = {
      percentage: given?.minCandidateNodesPercentage?.integer({ minimum: 0, maximum: 100 }) ?? 10,
      absolute: given?.minCandidateNodesAbsolute?.integer({ minimum: 0 }) ?? 100,
    }
    return {
      name: 'DefaultPreemption',
      postFilter: (pod, cycle, statuses) => preempt(pod, { cycle, statuses, services, limits }),
    }
  },
}

interface Attempt {
  readonly cycle: CycleState
  readonly statuses: ReadonlyMap<string, Status>
  readonly services: PluginServices
  readonly limits: Limits
}

async function preempt(pod: Pod, attempt: Attempt): Promise<PostFilterResult> {
  const obstacle = whyNot(pod, attempt)
  if (obstacle !== undefined) return { status: statusOf('Unschedulable', `preemption: ${obstacle}`) }
  const { candidates, verdicts } = await findCandidates(pod, attempt)
  const chosen = pickNode(candidates)
  if (chosen === undefined) return { status: statusOf('Unschedulable', `preemption: ${sentence(attempt, verdicts)}`) }
  try {
    await Promise.all(chosen.victims.map((victim) => evict(victim.pod, pod, chosen.node.name, attempt.services)))
  } catch (error) {
    return { status: failure(error) }
  }
  return { status: statusOf('Success'), nominatedNode: chosen.node.name }
}

/** A pod that may not preempt, or whose earlier victims are still ending. */
function whyNot(pod: Pod, { cycle, statuses }: Attempt): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
  const nominated = pod.status?.nominatedNodeName
  if (!nominated || statuses.get(nominated)?.code === 'UnschedulableAndUnresolvable') return undefined
  const isEnding = ({ pod: other }: PodInfo) =>
    other.metadata.deletionTimestamp !== undefined && priorityOf(other) < priorityOf(pod)
  const isWaiting = cycle.snapshot.node(nominated)?.pods.some(isEnding) === true
  return isWaiting ? 'not eligible due to a terminating pod on the nominated node.' : undefined
}

interface Found {
  readonly candidates: readonly Candidate[]
  readonly verdicts: ReadonlyMap<string, Status>
}

/** Tries what if on enough of the nodes that refused for a reason which eviction may end. */
async function findCandidates(pod: Pod, attempt: Attempt): Promise<Found> {
  const { cycle, statuses, limits } = attempt
  const { nodes } = cycle.snapshot
  const possible = nodes.filter(({ name }) => statuses.get(name)?.code === 'Unschedulable')
  const wanted = Math.max(Math.trunc((nodes.length * limits.percentage) / 100), limits.absolute)
  const start = possible.length === 0 ? 0 : Math.floor(Math.random() * possible.length)
  const candidates: Candidate[] = []
  const verdicts = new Map<string, Status>()
  for (let offset = 0; offset < possible.length; offset++) {
    const node = possible[(start + offset) % possible.length]!
    const found = await victimsOn(node, pod, attempt)
    if ('code' in found) verdicts.set(node.name, found)
    else candidates.push(found)
    if (candidates.length >= wanted && candidates.some(({ violations }) => violations === 0)) break
  }
  return { candidates, verdicts }
}

/** All pods of lower priority leave; then as many as possible come back, the protected and important ones first. */
async function victimsOn(original: NodeInfo, pod: Pod, { cycle, services }: Attempt): Promise<Candidate | Status> {
  const framework = services.framework()
  const node = original.clone()
  const copy = cycle.clone()
  const lower = node.pods.filter((other) => priorityOf(other.pod) < priorityOf(pod))
  if (lower.length === 0) {
    return statusOf('UnschedulableAndUnresolvable', 'No preemption victims found for incoming pod')
  }
  for (const other of lower) {
    node.removePod(other)
    framework.removePod(pod, other, node, copy)
  }
  const status = await framework.filter(pod, node, copy)
  if (status.code !== 'Success') return status
  const { violating, others } = budgetViolations(lower, services.disruptionBudgets.list())
  const victims: PodInfo[] = []
  let violations = 0
  const reprieve = async (other: PodInfo) => {
    node.addPod(other)
    framework.addPod(pod, other, node, copy)
    if ((await framework.filter(pod, node, copy)).code === 'Success') return true
    node.removePod(other)
    framework.removePod(pod, other, node, copy)
    victims.push(other)
    return false
  }
  for (const other of violating.toSorted(byImportance)) if (!(await reprieve(other))) violations += 1
  for (const other of others.toSorted(byImportance)) await reprieve(other)
  return { node: original, victims: victims.toSorted(byImportance), violations }
}

/** Higher priority first, then who runs longer. */
function byImportance(a: PodInfo, b: PodInfo): number {
  const difference = priorityOf(b.pod) - priorityOf(a.pod)
  if (difference !== 0) return difference
  return startOf(a) < startOf(b) ? -1 : 1
}

function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? '9999'
}

function sentence({ cycle, statuses }: Attempt, verdicts: ReadonlyMap<string, Status>): string {
  const told = new Map(verdicts)
  for (const [name, { code }] of statuses) {
    if (code === 'UnschedulableAndUnresolvable') {
      told.set(name, statusOf(code, 'Preemption is not helpful for scheduling'))
    }
  }
  return fitMessage({
    nodeCount: cycle.snapshot.nodes.length,
    statuses: told,
    absent: statusOf('UnschedulableAndUnresolvable', 'Preemption is not helpful for scheduling'),
    plugins: new Set(),
  })
}

/** Tells why in the victim's status, then deletes it; one that is ending already is left alone. */
async function evict(victim: Pod, preemptor: Pod, node: string, { client, events }: PluginServices): Promise<void> {
  const { name, namespace = '', uid } = victim.metadata
  if (victim.metadata.deletionTimestamp !== undefined) return
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: `${preemptor.spec.schedulerName}: preempting to accommodate a higher priority pod`,
    lastTransitionTime: `${new Date().toISOString().slice(0, 19)}Z`,
  }
  const body = { status: { conditions: [condition] } }
  await client.patch(pods, { name, namespace }, body, { type: 'strategic', subresource: 'status' })
  await client.delete(pods, { name, namespace }, uid === undefined ? {} : { preconditions: { uid } })
  const by = podInfoOf(preemptor).pod.metadata
  events.event(
    { kind: 'Pod', apiVersion: 'v1', ...victim },
    'Normal',
    'Preempted',
    `Preempted by pod ${by.uid} on node ${node}`,
  )
}
