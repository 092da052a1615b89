import type { Pod } from '@kubevirt-ts/api'
import type { NodeInfo, PodInfo } from '@kubevirt-ts/scheduling'
import type { ClusterEvent } from './cluster-event.ts'
import type { CycleState } from './cycle-state.ts'
import type { Status } from './status.ts'

export type Maybe<T> = T | Promise<T>

/** A pod that waits for a node. */
export interface QueuedPod {
  readonly pod: Pod
  /** When it came into the queue, in milliseconds; it keeps its place among equals. */
  readonly queuedAt: number
  /** How often it was tried. */
  readonly attempts: number
}

/**
 * The points at which a plugin may take part, as Kubernetes defines them. A plugin implements some of them; a profile
 * says at which it is asked. What is passed in is shared: never change it.
 */
export interface Plugin {
  readonly name: string

  /**
   * This replica begins to schedule, and does until the signal is aborted. For plugins that act on changes of their own;
   * the caches are filled.
   */
  start?(signal: AbortSignal): void

  /** Before the pod enters the active queue; anything but Success keeps it out until an event wakes it. */
  preEnqueue?(pod: Pod): Status
  /** Exactly one plugin of all profiles sorts the queue. */
  less?(a: QueuedPod, b: QueuedPod): boolean
  /**
   * Whether the event could make a pod schedulable that this plugin refused. Without it every event wakes the pod.
   */
  isHelpful?(event: ClusterEvent, pod: Pod): boolean

  /** Once for each pod. Skip leaves out this plugin's filter; a refusal ends the cycle. */
  preFilter?(pod: Pod, cycle: CycleState): Maybe<PreFilterResult>
  /** What would change were the other pod on the node, or gone; `cycle` is a copy. */
  addPod?(pod: Pod, added: PodInfo, node: NodeInfo, cycle: CycleState): Status
  removePod?(pod: Pod, removed: PodInfo, node: NodeInfo, cycle: CycleState): Status
  /** Success, Unschedulable, or UnschedulableAndUnresolvable when eviction cannot help; Error ends the cycle. */
  filter?(pod: Pod, node: NodeInfo, cycle: CycleState): Maybe<Status>
  /** When no node fits. Success with a node nominates it; Unschedulable lets the next plugin try. */
  postFilter?(pod: Pod, cycle: CycleState, statuses: ReadonlyMap<string, Status>): Maybe<PostFilterResult>

  /** Once for the nodes that fit. Skip leaves out this plugin's score. */
  preScore?(pod: Pod, nodes: readonly NodeInfo[], cycle: CycleState): Maybe<Status>
  /** A whole number; after `normalizeScore` from 0 to 100. */
  score?(pod: Pod, node: NodeInfo, cycle: CycleState): Maybe<number>
  /** Changes the scores in place; they stand in the order of the nodes. */
  normalizeScore?(pod: Pod, scores: number[], nodes: readonly NodeInfo[], cycle: CycleState): Maybe<void>

  /** The node is taken: set aside what belongs to it. */
  reserve?(pod: Pod, node: string, cycle: CycleState): Maybe<Status>
  /** Gives it back; also asked when its own reserve failed or was not reached, and twice does no harm. */
  unreserve?(pod: Pod, node: string, cycle: CycleState): Maybe<void>
  /** Success, a refusal, or Wait for `timeoutMs` at most until every waiting plugin allows or one rejects. */
  permit?(pod: Pod, node: string, cycle: CycleState): Maybe<PermitResult>

  preBind?(pod: Pod, node: string, cycle: CycleState): Maybe<Status>
  /** The first that does not answer Skip has bound the pod, or failed to. */
  bind?(pod: Pod, node: string, cycle: CycleState): Maybe<Status>
  postBind?(pod: Pod, node: string, cycle: CycleState): Maybe<void>
}

export interface PreFilterResult {
  readonly status: Status
  /** The only nodes worth looking at. */
  readonly nodeNames?: ReadonlySet<string>
}

export interface PostFilterResult {
  readonly status: Status
  readonly nominatedNode?: string
}

export interface PermitResult {
  readonly status: Status
  readonly timeoutMs?: number
}

/** The points of a profile's `plugins`, under their names in the configuration. */
export const extensionPoints = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const

export type ExtensionPoint = (typeof extensionPoints)[number]

/** Which method makes a plugin one of that point. */
const methods: Readonly<Record<ExtensionPoint, readonly (keyof Plugin)[]>> = {
  preEnqueue: ['preEnqueue'],
  queueSort: ['less'],
  preFilter: ['preFilter'],
  filter: ['filter'],
  postFilter: ['postFilter'],
  preScore: ['preScore'],
  score: ['score'],
  reserve: ['reserve', 'unreserve'],
  permit: ['permit'],
  preBind: ['preBind'],
  bind: ['bind'],
  postBind: ['postBind'],
}

export function implementsPoint(plugin: Plugin, point: ExtensionPoint): boolean {
  return methods[point].some((method) => typeof plugin[method] === 'function')
}
