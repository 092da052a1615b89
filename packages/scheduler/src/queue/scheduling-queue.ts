import type { Pod } from '@kubevirt-ts/api'
import { isDeepStrictEqual } from 'node:util'
import type { ClusterEvent } from '../framework/cluster-event.ts'
import type { QueuedPod } from '../framework/plugin.ts'
import type { Status } from '../framework/status.ts'
import { Heap } from './heap.ts'

/** A pod in the queue with its history. */
export interface QueueEntry extends QueuedPod {
  readonly pod: Pod
  readonly queuedAt: number
  readonly attempts: number
  /** When the pod was first seen. */
  readonly firstSeenAt: number
  /** When the last attempt ended. */
  readonly lastAttemptAt: number
  /** Plugins that refused it last; empty means that anything may help. */
  readonly refusedBy: ReadonlySet<string>
}

export interface QueueOptions {
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean
  /** Anything but Success keeps the pod out of the active queue. */
  readonly preEnqueue: (pod: Pod) => Status
  /** Whether the event may help a pod that the plugin refused. */
  readonly isHelpful: (plugin: string, event: ClusterEvent, pod: Pod) => boolean
  readonly initialBackoffMs: number
  readonly maxBackoffMs: number
  readonly now?: () => number
  readonly onIncoming?: (queue: 'active' | 'backoff' | 'unschedulable', event: string) => void
}

/** Pods that nothing woke are tried again after this time all the same. */
const unschedulableMs = 5 * 60_000

/**
 * Pods that wait for a node, in three parts: active ones are tried in the order of `less`; those that failed wait for an
 * event that can help (unschedulable), and not sooner than their back-off (back-off).
 */
export class SchedulingQueue {
  readonly #options: QueueOptions
  readonly #now: () => number
  readonly #active: Heap<QueueEntry>
  readonly #backoff: Heap<QueueEntry>
  readonly #unschedulable = new Map<string, QueueEntry>()
  /** Pods that are being tried, with what happened meanwhile. */
  readonly #inFlight = new Map<string, ClusterEvent[]>()
  readonly #waiters: (() => void)[] = []
  #closed = false

  constructor(options: QueueOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#active = new Heap(keyOf, options.less)
    this.#backoff = new Heap(keyOf, (a, b) => this.#readyAt(a) < this.#readyAt(b))
  }

  get sizes(): Readonly<Record<'active' | 'backoff' | 'unschedulable' | 'inFlight', number>> {
    return {
      active: this.#active.size,
      backoff: this.#backoff.size,
      unschedulable: this.#unschedulable.size,
      inFlight: this.#inFlight.size,
    }
  }

  /** A pod without a node was seen. */
  add(pod: Pod): void {
    const now = this.#now()
    const entry = { pod, queuedAt: now, firstSeenAt: now, lastAttemptAt: 0, attempts: 0, refusedBy: new Set<string>() }
    this.#enter(entry, 'PodAdd')
  }

  /** A waiting pod changed; when more than its status did, it may fit now. */
  update(pod: Pod): void {
    const uid = uidOf(pod)
    if (this.#inFlight.has(uid)) {
      this.#inFlight.get(uid)!.push({ resource: 'UnscheduledPod', action: 'Update', after: pod })
      return
    }
    const entry = this.#take(uid)
    if (entry === undefined) return this.add(pod)
    const next = { ...entry.entry, pod }
    if (entry.part === 'active') this.#active.push(next)
    else if (entry.part === 'backoff') this.#backoff.push(next)
    else if (isSameWish(entry.entry.pod, pod)) this.#unschedulable.set(uid, next)
    else this.#enter(next, 'UnscheduledPodUpdate')
  }

  delete(pod: Pod): void {
    this.#take(uidOf(pod))
  }

  /** The next pod to try; undefined when the queue is closed. `done` or `failed` must follow. */
  async pop(): Promise<QueueEntry | undefined> {
    for (;;) {
      if (this.#closed) return undefined
      const entry = this.#active.pop()
      if (entry !== undefined) {
        this.#inFlight.set(keyOf(entry), [])
        return { ...entry, attempts: entry.attempts + 1 }
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiters.push(resolve)
      await promise
    }
  }

  /** The pod was bound, or need not be tried any more. */
  done(pod: Pod): void {
    this.#inFlight.delete(uidOf(pod))
  }

  /**
   * The pod could not be scheduled. It waits for a helpful event, or only for its back-off when one came meanwhile or
   * when nobody refused it (an error).
   */
  failed(entry: QueueEntry, refusedBy: ReadonlySet<string>): void {
    const uid = keyOf(entry)
    const meanwhile = this.#inFlight.get(uid) ?? []
    this.#inFlight.delete(uid)
    const next = { ...entry, refusedBy, lastAttemptAt: this.#now() }
    const isWorthTrying = refusedBy.size === 0 || meanwhile.some((event) => this.#canHelp(next, event))
    if (isWorthTrying) this.#wake(next, 'ScheduleAttemptFailure')
    else {
      this.#unschedulable.set(uid, next)
      this.#options.onIncoming?.('unschedulable', 'ScheduleAttemptFailure')
    }
  }

  /** Something changed in the cluster: wakes the pods that it may help. */
  moveFor(event: ClusterEvent): void {
    for (const events of this.#inFlight.values()) events.push(event)
    for (const [uid, entry] of this.#unschedulable) {
      if (!this.#canHelp(entry, event)) continue
      this.#unschedulable.delete(uid)
      this.#wake(entry, `${event.resource}${event.action}`)
    }
  }

  /** To be called about every second: ends back-offs, and tries again what nothing woke for long. */
  tick(): void {
    const now = this.#now()
    for (
      let first = this.#backoff.peek();
      first !== undefined && this.#readyAt(first) <= now;
      first = this.#backoff.peek()
    ) {
      this.#backoff.pop()
      this.#enter(first, 'BackoffComplete')
    }
    for (const [uid, entry] of this.#unschedulable) {
      if (now - Math.max(entry.lastAttemptAt, entry.queuedAt) < unschedulableMs) continue
      this.#unschedulable.delete(uid)
      this.#enter(entry, 'UnschedulableTimeout')
    }
  }

  /** When `tick` has something to do next, in milliseconds of the clock; Infinity when nothing waits. */
  get nextReadyAt(): number {
    const first = this.#backoff.peek()
    return first === undefined ? Infinity : this.#readyAt(first)
  }

  close(): void {
    this.#closed = true
    for (const wake of this.#waiters.splice(0)) wake()
  }

  #canHelp({ refusedBy, pod }: QueueEntry, event: ClusterEvent): boolean {
    if (event.resource === 'UnscheduledPod') return isAboutAnotherWish(event.after as Pod, pod)
    for (const plugin of refusedBy) if (this.#options.isHelpful(plugin, event, pod)) return true
    return refusedBy.size === 0
  }

  #wake(entry: QueueEntry, event: string): void {
    if (this.#readyAt(entry) <= this.#now()) return this.#enter(entry, event)
    this.#backoff.push(entry)
    this.#options.onIncoming?.('backoff', event)
  }

  #enter(entry: QueueEntry, event: string): void {
    const status = this.#options.preEnqueue(entry.pod)
    if (status.code !== 'Success') {
      this.#unschedulable.set(keyOf(entry), { ...entry, refusedBy: new Set([status.plugin ?? '']) })
      this.#options.onIncoming?.('unschedulable', event)
      return
    }
    this.#active.push(entry)
    this.#options.onIncoming?.('active', event)
    this.#waiters.shift()?.()
  }

  #take(uid: string): { entry: QueueEntry; part: 'active' | 'backoff' | 'unschedulable' } | undefined {
    const active = this.#active.remove(uid)
    if (active !== undefined) return { entry: active, part: 'active' }
    const backoff = this.#backoff.remove(uid)
    if (backoff !== undefined) return { entry: backoff, part: 'backoff' }
    const unschedulable = this.#unschedulable.get(uid)
    this.#unschedulable.delete(uid)
    return unschedulable === undefined ? undefined : { entry: unschedulable, part: 'unschedulable' }
  }

  /** The wait doubles from attempt to attempt. */
  #readyAt({ attempts, lastAttemptAt }: QueueEntry): number {
    if (attempts === 0) return 0
    const { initialBackoffMs, maxBackoffMs } = this.#options
    return lastAttemptAt + Math.min(maxBackoffMs, initialBackoffMs * 2 ** (attempts - 1))
  }
}

function keyOf({ pod }: QueueEntry): string {
  return uidOf(pod)
}

function uidOf({ metadata: { uid, namespace, name } }: Pod): string {
  return uid ?? `${namespace}/${name}`
}

/** The pod itself changed while it was tried. */
function isAboutAnotherWish(now: Pod, tried: Pod): boolean {
  return uidOf(now) === uidOf(tried) && !isSameWish(now, tried)
}

/** Status and bookkeeping aside. */
function isSameWish(a: Pod, b: Pod): boolean {
  return (
    isDeepStrictEqual(a.spec, b.spec) &&
    isDeepStrictEqual(a.metadata.labels, b.metadata.labels) &&
    isDeepStrictEqual(a.metadata.annotations, b.metadata.annotations)
  )
}
