import type { Pod } from '@kubevirt-ts/api'
import { isRejected } from '@kubevirt-ts/scheduling'
import type { Logger } from '@kubevirt-ts/service'
import type { ClusterCache } from '../cache/cluster-cache.ts'
import { CycleState } from '../framework/cycle-state.ts'
import { fitMessage, type Diagnosis } from '../framework/fit-error.ts'
import type { Framework } from '../framework/framework.ts'
import { schedulePod, type Extender } from '../framework/schedule-pod.ts'
import { failure, messageOf, statusOf, type Status } from '../framework/status.ts'
import type { QueueEntry, SchedulingQueue } from '../queue/scheduling-queue.ts'
import type { SchedulerMetrics } from './metrics.ts'
import type { NominatedPods } from './nominated-pods.ts'
import { nameOf, type Reporter } from './report.ts'

export interface SchedulerOptions {
  readonly frameworks: ReadonlyMap<string, Framework>
  readonly queue: SchedulingQueue
  readonly cache: ClusterCache
  readonly nominated: NominatedPods
  readonly reporter: Reporter
  readonly metrics: SchedulerMetrics
  readonly log: Logger
  /** The pod as it is now; undefined when it is gone. */
  readonly currentPod: (pod: Pod) => Pod | undefined
  readonly percentageOfNodesToScore: number
  readonly extenders?: readonly Extender[]
  /** How many pods may be on their way to their node at once. */
  readonly maxBindings?: number
}

/** A pod that got its node in this cycle. */
interface Placement {
  readonly entry: QueueEntry
  readonly pod: Pod
  readonly node: string
  readonly framework: Framework
  readonly cycle: CycleState
  readonly startedAt: number
}

/** Takes pods from the queue one by one, decides, and binds in the background. */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #bindings = new Set<Promise<void>>()
  readonly #reports = new Set<Promise<void>>()
  #startIndex = 0

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  /** Until the queue is closed or the signal is aborted; then waits for what is being bound. */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, maxBindings = 100 } = this.#options
    signal.addEventListener('abort', () => queue.close(), { once: true })
    while (!signal.aborted) {
      const entry = await queue.pop()
      if (entry === undefined) break
      await this.#scheduleOne(entry)
      while (this.#bindings.size >= maxBindings) await Promise.race(this.#bindings)
    }
    await this.settled()
  }

  /** When nothing is being bound or told any more. */
  async settled(): Promise<void> {
    while (this.#bindings.size + this.#reports.size > 0) await Promise.all([...this.#bindings, ...this.#reports])
  }

  async #scheduleOne(entry: QueueEntry): Promise<void> {
    const { queue, cache, frameworks, currentPod } = this.#options
    const pod = currentPod(entry.pod)
    const framework = frameworks.get(pod?.spec.schedulerName ?? '')
    const isDone = pod === undefined || framework === undefined || pod.metadata.deletionTimestamp !== undefined
    if (isDone || pod.spec.nodeName || cache.isAssumed(pod)) return queue.done(entry.pod)
    try {
      await this.#decide({ ...entry, pod }, pod, framework)
    } catch (error) {
      // A mistake of ours must cost this pod a retry, not all pods their scheduler.
      this.#options.log.error({ error, pod: nameOf(pod) }, 'scheduling failed unexpectedly')
      cache.forget(pod)
      queue.failed(entry, new Set())
    }
  }

  async #decide(entry: QueueEntry, pod: Pod, framework: Framework): Promise<void> {
    const { cache, metrics, nominated, percentageOfNodesToScore, extenders } = this.#options
    const startedAt = performance.now()
    const cycle = new CycleState(cache.snapshot())
    const result = await schedulePod(framework, pod, cycle, {
      percentageOfNodesToScore,
      startIndex: this.#startIndex,
      nominatedTo: (node) => nominated.on(node),
      ...(extenders === undefined ? {} : { extenders }),
    })
    metrics.algorithm((performance.now() - startedAt) / 1000)
    if (result.kind === 'failed') return this.#failed({ entry, framework, startedAt }, result.status)
    if (result.kind === 'unfit') return this.#unfit({ entry, framework, startedAt }, cycle, result.diagnosis)
    this.#startIndex = (this.#startIndex + result.evaluated) % Math.max(1, cycle.snapshot.nodes.length)
    await this.#place({ entry, pod, node: result.node, framework, cycle, startedAt })
  }

  /** Room may be made for it; the pod then waits for that node. */
  async #unfit(
    attempt: { readonly entry: QueueEntry; readonly framework: Framework; readonly startedAt: number },
    cycle: CycleState,
    diagnosis: Diagnosis,
  ): Promise<void> {
    const { framework, entry } = attempt
    if (framework.at('postFilter').length === 0) {
      return this.#failed(attempt, statusOf('Unschedulable', fitMessage(diagnosis)), diagnosis)
    }
    const { status, nominatedNode } = await framework.postFilter(entry.pod, cycle, diagnosis.statuses)
    if (nominatedNode !== undefined) this.#options.metrics.preempted()
    const told = status.code === 'Success' ? '' : messageOf(status)
    const message = fitMessage({ ...diagnosis, ...(told === '' ? {} : { postFilterMessage: told }) })
    this.#failed(attempt, statusOf('Unschedulable', message), diagnosis, nominatedNode)
  }

  #failed(
    {
      entry,
      framework,
      startedAt,
    }: { readonly entry: QueueEntry; readonly framework: Framework; readonly startedAt: number },
    status: Status,
    diagnosis?: Diagnosis,
    nominatedNode?: string,
  ): void {
    const { queue, metrics, nominated, reporter } = this.#options
    const isUnschedulable = isRejected(status)
    metrics.attempt(isUnschedulable ? 'unschedulable' : 'error', framework.schedulerName, secondsSince(startedAt))
    if (nominatedNode !== undefined) nominated.set(entry.pod, nominatedNode)
    const plugins = diagnosis?.plugins ?? new Set(isUnschedulable && status.plugin !== undefined ? [status.plugin] : [])
    queue.failed(entry, plugins)
    const reason = isUnschedulable ? 'Unschedulable' : 'SchedulerError'
    const failure = {
      reason,
      message: messageOf(status),
      ...(nominatedNode === undefined ? {} : { nominatedNode }),
    } as const
    this.#track(this.#reports, reporter.failed(entry.pod, failure))
  }

  /** Takes the node at once, so that the next pod sees it taken; binding goes on beside it. */
  async #place(placement: Placement): Promise<void> {
    const { framework, pod, node, cycle } = placement
    this.#options.cache.assume(pod, node)
    const reserved = await framework.reserve(pod, node, cycle)
    if (reserved.code !== 'Success') return this.#giveBack(placement, reserved)
    const { status, timeouts } = await framework.permit(pod, node, cycle)
    if (status.code !== 'Success' && status.code !== 'Wait') return this.#giveBack(placement, status)
    this.#track(this.#bindings, this.#bind(placement, timeouts))
  }

  async #bind(placement: Placement, timeouts: ReadonlyMap<string, number>): Promise<void> {
    const { framework, pod, node, cycle, entry, startedAt } = placement
    const { queue, cache, nominated, reporter, metrics, log } = this.#options
    const status = await this.#bindingStatus(placement, timeouts)
    if (status.code !== 'Success') return this.#giveBack(placement, status)
    cache.finishBinding(pod)
    nominated.delete(pod)
    queue.done(pod)
    metrics.attempt('scheduled', framework.schedulerName, secondsSince(startedAt))
    metrics.bound(entry.attempts, (Date.now() - entry.firstSeenAt) / 1000)
    reporter.scheduled(pod, node)
    await framework.postBind(pod, node, cycle, (error) => log.error({ error, pod: nameOf(pod) }, 'postBind failed'))
  }

  async #bindingStatus(
    { framework, pod, node, cycle }: Placement,
    timeouts: ReadonlyMap<string, number>,
  ): Promise<Status> {
    if (timeouts.size > 0) {
      const permitted = await framework.waitOnPermit(pod, timeouts)
      if (permitted.code !== 'Success') return permitted
    }
    const ready = await framework.preBind(pod, node, cycle)
    if (ready.code !== 'Success') return ready
    const extender = this.#options.extenders?.find((each) => each.bind !== undefined && each.isInterested(pod))
    if (extender === undefined) return framework.bind(pod, node, cycle)
    return extender.bind!(pod, node).then(
      () => statusOf('Success'),
      (error: unknown) => failure(error),
    )
  }

  async #giveBack(placement: Placement, status: Status): Promise<void> {
    const { framework, pod, node, cycle } = placement
    const { cache, queue, log } = this.#options
    await framework.unreserve(pod, node, cycle, (error) => log.error({ error, pod: nameOf(pod) }, 'unreserve failed'))
    cache.forget(pod)
    this.#failed(placement, status)
    // What it held is free for others.
    queue.moveFor({ resource: 'AssignedPod', action: 'Delete', before: pod })
  }

  #track(set: Set<Promise<void>>, work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => this.#options.log.error({ error }, 'a step after the decision failed unexpectedly'))
      .finally(() => set.delete(tracked))
    set.add(tracked)
  }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}
