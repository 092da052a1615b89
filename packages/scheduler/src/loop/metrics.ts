import { Counter, Gauge, Histogram, type Registry } from '@kubevirt-ts/service'

/** kube-scheduler's metrics, with its names and labels. */
export interface SchedulerMetrics {
  readonly attempt: (result: 'scheduled' | 'unschedulable' | 'error', profile: string, seconds: number) => void
  readonly algorithm: (seconds: number) => void
  readonly point: (profile: string, point: string, seconds: number, status: string) => void
  readonly incoming: (queue: string, event: string) => void
  readonly bound: (attempts: number, seconds: number) => void
  readonly preempted: () => void
}

export interface GaugeSources {
  readonly queue: () => Readonly<Record<'active' | 'backoff' | 'unschedulable', number>>
  readonly cache: () => { readonly nodes: number; readonly pods: number; readonly assumed: number }
}

const fine = exponential(0.001, 2, 15)

export function schedulerMetrics(registry: Registry, sources: GaugeSources): SchedulerMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'scheduler_schedule_attempts_total',
    help: 'Number of attempts to schedule pods, by the result.',
    labelNames: ['result', 'profile'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: 'scheduler_scheduling_attempt_duration_seconds',
    help: 'Scheduling attempt latency in seconds (scheduling algorithm + binding).',
    labelNames: ['result', 'profile'],
    buckets: fine,
    registers,
  })
  const algorithmSeconds = new Histogram({
    name: 'scheduler_scheduling_algorithm_duration_seconds',
    help: 'Scheduling algorithm latency in seconds.',
    buckets: fine,
    registers,
  })
  const pointSeconds = new Histogram({
    name: 'scheduler_framework_extension_point_duration_seconds',
    help: 'Latency for running all plugins of a specific extension point.',
    labelNames: ['extension_point', 'status', 'profile'],
    buckets: exponential(0.0001, 2, 12),
    registers,
  })
  const incoming = new Counter({
    name: 'scheduler_queue_incoming_pods_total',
    help: 'Number of pods added to scheduling queues by event and queue type.',
    labelNames: ['queue', 'event'],
    registers,
  })
  const podAttempts = new Histogram({
    name: 'scheduler_pod_scheduling_attempts',
    help: 'Number of attempts to successfully schedule a pod.',
    buckets: exponential(1, 2, 5),
    registers,
  })
  const podSeconds = new Histogram({
    name: 'scheduler_pod_scheduling_sli_duration_seconds',
    help: 'E2e latency for a pod being scheduled, from the time it enters the queue.',
    labelNames: ['attempts'],
    buckets: exponential(0.01, 2, 20),
    registers,
  })
  const preemptions = new Counter({
    name: 'scheduler_preemption_attempts_total',
    help: 'Total preemption attempts in the cluster till now.',
    registers,
  })
  sizeGauges(registry, sources)
  return {
    attempt: (result, profile, seconds) => {
      attempts.inc({ result, profile })
      attemptSeconds.observe({ result, profile }, seconds)
    },
    algorithm: (seconds) => algorithmSeconds.observe(seconds),
    point: (profile, point, seconds, status) =>
      pointSeconds.observe({ extension_point: point, status, profile }, seconds),
    incoming: (queue, event) => incoming.inc({ queue, event }),
    bound: (count, seconds) => {
      podAttempts.observe(count)
      podSeconds.observe({ attempts: count > 15 ? '16+' : String(count) }, seconds)
    },
    preempted: () => preemptions.inc(),
  }
}

function sizeGauges(registry: Registry, { queue, cache }: GaugeSources): void {
  const registers = [registry]
  new Gauge({
    name: 'scheduler_pending_pods',
    help: 'Number of pending pods, by the queue type.',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const [name, size] of Object.entries(queue())) this.set({ queue: name }, size)
    },
  })
  new Gauge({
    name: 'scheduler_cache_size',
    help: 'Number of nodes, pods, and assumed (bound) pods in the scheduler cache.',
    labelNames: ['type'],
    registers,
    collect() {
      const { nodes, pods, assumed } = cache()
      this.set({ type: 'nodes' }, nodes)
      this.set({ type: 'pods' }, pods)
      this.set({ type: 'assumed_pods' }, assumed)
    },
  })
}

function exponential(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index)
}
