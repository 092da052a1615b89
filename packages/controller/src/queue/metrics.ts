import { Counter, Gauge, Histogram, type Registry } from '@kubevirt-ts/service'

/** What happens to the keys of one queue. */
export interface QueueMetrics {
  added(): void
  retried(): void
  depth(keys: number): void
  waited(seconds: number): void
  worked(seconds: number): void
}

/** What is only known when somebody asks. */
export interface QueueGauges {
  /** When each key now worked on was handed out, in the clock of `performance.now`. */
  readonly startTimes: () => readonly number[]
}

const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10]
const nothing = () => undefined

const noMetrics: QueueMetrics = { added: nothing, retried: nothing, depth: nothing, waited: nothing, worked: nothing }

/** KubeVirt's `kubevirt_workqueue_*`, one label value a queue. */
export function queueMetrics(name: string, registry: Registry | undefined, gauges: QueueGauges): QueueMetrics {
  if (registry === undefined) return noMetrics
  const adds = counter(registry, 'kubevirt_workqueue_adds_total', 'Keys taken in.').labels(name)
  const retries = counter(registry, 'kubevirt_workqueue_retries_total', 'Keys put back after a failure.').labels(name)
  const depth = gauge(registry, 'kubevirt_workqueue_depth', 'Keys that wait.').labels(name)
  const waited = histogram(registry, 'kubevirt_workqueue_queue_duration_seconds', 'How long keys waited.').labels(name)
  const worked = histogram(registry, 'kubevirt_workqueue_work_duration_seconds', 'How long keys took.').labels(name)
  observeRunning(registry, name, gauges)
  return {
    added: () => adds.inc(),
    retried: () => retries.inc(),
    depth: (keys) => depth.set(keys),
    waited: (seconds) => waited.observe(seconds),
    worked: (seconds) => worked.observe(seconds),
  }
}

/** Queues of a process share a metric; each gauge remembers whom to ask. */
const running = new WeakMap<Gauge, Map<string, QueueGauges>>()

function observeRunning(registry: Registry, name: string, gauges: QueueGauges): void {
  const sums: readonly [string, string, (ages: readonly number[]) => number][] = [
    [
      'kubevirt_workqueue_unfinished_work_seconds',
      'Time spent so far on the keys at work.',
      (ages) => ages.reduce((sum, age) => sum + age, 0),
    ],
    [
      'kubevirt_workqueue_longest_running_processor_seconds',
      'Time spent so far on the oldest key at work.',
      (ages) => Math.max(0, ...ages),
    ],
  ]
  for (const [metric, help, total] of sums) {
    const observed = gauge(registry, metric, help, function (this: Gauge) {
      for (const [queue, { startTimes }] of running.get(this) ?? []) {
        this.labels(queue).set(total(startTimes().map((start) => (performance.now() - start) / 1000)))
      }
    })
    const queues = running.get(observed) ?? new Map<string, QueueGauges>()
    running.set(observed, queues.set(name, gauges))
  }
}

function counter(registry: Registry, name: string, help: string): Counter<'name'> {
  const known = registry.getSingleMetric(name) as Counter<'name'> | undefined
  return known ?? new Counter({ name, help, labelNames: ['name'], registers: [registry] })
}

function gauge(registry: Registry, name: string, help: string, collect?: (this: Gauge) => void): Gauge<'name'> {
  const known = registry.getSingleMetric(name) as Gauge<'name'> | undefined
  return (
    known ?? new Gauge({ name, help, labelNames: ['name'], registers: [registry], ...(collect ? { collect } : {}) })
  )
}

function histogram(registry: Registry, name: string, help: string): Histogram<'name'> {
  const known = registry.getSingleMetric(name) as Histogram<'name'> | undefined
  return known ?? new Histogram({ name, help, labelNames: ['name'], buckets, registers: [registry] })
}
