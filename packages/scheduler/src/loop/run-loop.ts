import type { Pod } from '@kubevirt-ts/api'
import { keyOf, type EventRecorder } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger, Registry } from '@kubevirt-ts/service'
import { ClusterCache } from '../cache/cluster-cache.ts'
import type { ClusterEvent } from '../framework/cluster-event.ts'
import type { Framework } from '../framework/framework.ts'
import type { Plugin } from '../framework/plugin.ts'
import type { Extender } from '../framework/schedule-pod.ts'
import { WaitingPods } from '../framework/waiting-pods.ts'
import { buildFrameworks, type KnownPlugin } from '../profiles/build-frameworks.ts'
import type { SchedulerConfiguration } from '../profiles/configuration.ts'
import { SchedulingQueue } from '../queue/scheduling-queue.ts'
import { followCluster } from './follow-cluster.ts'
import type { Informers } from './informers.ts'
import { schedulerMetrics, type SchedulerMetrics } from './metrics.ts'
import { NominatedPods } from './nominated-pods.ts'
import { Reporter } from './report.ts'
import { Scheduler } from './scheduler.ts'
import { surroundingsOf } from './surroundings.ts'

export interface LoopOptions {
  readonly client: KubeClient
  readonly configuration: SchedulerConfiguration
  readonly plugins: ReadonlyMap<string, KnownPlugin>
  readonly pluginTimeoutMs: number
  readonly informers: Informers
  readonly events: Pick<EventRecorder, 'event'>
  readonly registry: Registry
  readonly extenders?: readonly Extender[]
  readonly log: Logger
}

/** The scheduler's parts, joined; nothing runs before `run`. */
export interface Loop {
  readonly frameworks: ReadonlyMap<string, Framework>
  /** Schedules until the signal is aborted; resolves when nothing is being bound any more. */
  run(signal: AbortSignal): Promise<void>
}

/** Throws a ConfigurationError before anything is scheduled. */
export function createLoop(options: LoopOptions): Loop {
  const { informers, client, events, log, configuration } = options
  const cache = new ClusterCache(surroundingsOf(informers))
  const nominated = new NominatedPods()
  const late: { queue?: SchedulingQueue } = {}
  const metrics = schedulerMetrics(options.registry, {
    queue: () => late.queue?.sizes ?? { active: 0, backoff: 0, unschedulable: 0 },
    cache: () => cache.size,
  })
  const services = {
    client,
    log,
    events,
    waitingPods: new WaitingPods(),
    nominatedTo: (node: string) => nominated.on(node),
    ...informers,
  }
  const frameworks = buildFrameworks({ ...options, services, onPoint: metrics.point })
  const queue = createQueue(frameworks, configuration, metrics)
  late.queue = queue
  const isOurs = ({ spec }: Pod) => frameworks.has(spec.schedulerName ?? '')
  const scheduler = new Scheduler({
    frameworks,
    queue,
    cache,
    nominated,
    metrics,
    log,
    reporter: new Reporter({ client, events, log }),
    percentageOfNodesToScore: configuration.percentageOfNodesToScore,
    ...(options.extenders === undefined ? {} : { extenders: options.extenders }),
    currentPod: (pod) => {
      const now = informers.pods.get(keyOf(pod))
      return now?.metadata.uid === pod.metadata.uid ? now : undefined
    },
  })
  return {
    frameworks,
    run: async (signal) => {
      for (const framework of frameworks.values()) {
        framework.start(signal, (error) => log.error({ error }, 'a plugin could not be started'))
      }
      followCluster({ informers, cache, queue, nominated, isOurs })
      const ticking = setInterval(() => tick(queue, cache, log), 250)
      try {
        await scheduler.run(signal)
      } finally {
        clearInterval(ticking)
      }
    },
  }
}

function createQueue(
  frameworks: ReadonlyMap<string, Framework>,
  configuration: SchedulerConfiguration,
  metrics: SchedulerMetrics,
): SchedulingQueue {
  const frameworkOf = ({ spec }: Pod) => frameworks.get(spec.schedulerName ?? '')
  const [first] = frameworks.values()
  const sorter = first!.at('queueSort')[0]!.plugin
  return new SchedulingQueue({
    less: (a, b) => sorter.less!(a, b),
    preEnqueue: (pod) => frameworkOf(pod)!.preEnqueue(pod),
    isHelpful: (plugin, event, pod) => isHelpful(frameworkOf(pod)?.plugin(plugin), event, pod),
    initialBackoffMs: configuration.podInitialBackoffSeconds * 1000,
    maxBackoffMs: configuration.podMaxBackoffSeconds * 1000,
    onIncoming: metrics.incoming,
  })
}

/** A plugin that says nothing, or that fails to, is taken to be helped. */
function isHelpful(plugin: Plugin | undefined, event: ClusterEvent, pod: Pod): boolean {
  try {
    return plugin?.isHelpful?.(event, pod) ?? true
  } catch {
    return true
  }
}

function tick(queue: SchedulingQueue, cache: ClusterCache, log: Logger): void {
  queue.tick()
  for (const pod of cache.expireAssumed()) {
    log.warn({ pod: keyOf(pod) }, 'the pod was bound, but the API server never showed it; it counts as gone')
  }
}
