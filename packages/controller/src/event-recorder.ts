import { randomInt } from 'node:crypto'
import { events, type Event, type KubeObject } from '@kubevirt-ts/api'
import { isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'

export interface EventRecorderOptions {
  readonly client: KubeClient
  /** The event's source, such as `virtualmachine-controller`. */
  readonly component: string
  readonly host?: string
  readonly log?: Logger
}

export type EventType = 'Normal' | 'Warning'

/** An event as it was written last; repetitions raise its count. */
interface Known {
  readonly namespace: string
  name: string
  count: number
  lastTimestamp: string
  /** A write is waiting that will carry every repetition until then. */
  queued: boolean
  written: boolean
}

/** Beyond these the oldest is forgotten, and its repetition becomes a new event. */
const maxKnown = 1000
const maxQueued = 1000

/** Tells users what happened to an object. Never fails: an event that cannot be written is logged and dropped. */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #known = new Map<string, Known>()
  #writing = Promise.resolve()
  #queued = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
  }

  /** A repetition (same object, type, reason and message) raises the count of the first event. */
  event(object: KubeObject, type: EventType, reason: string, message: string): void {
    const id = JSON.stringify([object.kind, object.metadata.uid ?? object.metadata.name, type, reason, message])
    const now = `${new Date().toISOString().slice(0, 19)}Z`
    const known = this.#known.get(id) ?? newEvent(object)
    known.count += 1
    known.lastTimestamp = now
    this.#remember(id, known)
    if (known.queued || this.#queued >= maxQueued) return
    known.queued = true
    this.#queued += 1
    const template = this.#template(object, { type, reason, message, firstTimestamp: now })
    this.#writing = this.#writing.then(() => this.#write(known, template))
  }

  /** Waits until everything told so far is written or dropped. */
  async flush(): Promise<void> {
    await this.#writing
  }

  #remember(id: string, known: Known): void {
    this.#known.delete(id)
    this.#known.set(id, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxKnown) this.#known.delete(oldest!)
  }

  #template(
    object: KubeObject,
    what: Pick<Event, 'type' | 'reason' | 'message' | 'firstTimestamp'>,
  ): Omit<Event, 'metadata'> {
    const { component, host } = this.#options
    return {
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: referenceTo(object),
      source: { component, ...(host === undefined ? {} : { host }) },
      reportingComponent: component,
      reportingInstance: host ?? '',
      ...what,
    }
  }

  async #write(known: Known, template: Omit<Event, 'metadata'>): Promise<void> {
    known.queued = false
    this.#queued -= 1
    try {
      if (known.written && (await this.#raiseCount(known))) return
      await this.#create(known, template)
    } catch (error) {
      const { reason, involvedObject } = template
      this.#options.log?.warn({ error, eventReason: reason, object: involvedObject.name }, 'event dropped')
    }
  }

  /** False when the event is gone; the API server keeps events for an hour. */
  async #raiseCount({ namespace, name, count, lastTimestamp }: Known): Promise<boolean> {
    try {
      await this.#options.client.patch(events, { namespace, name }, { count, lastTimestamp }, { type: 'merge' })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }

  async #create(known: Known, template: Omit<Event, 'metadata'>): Promise<void> {
    const { namespace, name, count, lastTimestamp } = known
    await this.#options.client.create(events, { ...template, metadata: { namespace, name }, count, lastTimestamp })
    known.written = true
  }
}

let lastSuffix = 0n

function newEvent(object: KubeObject): Known {
  // Events of one object that two processes tell of in the same millisecond still need two names.
  const now = BigInt(Date.now()) * 1_000_000n + BigInt(randomInt(1_000_000))
  lastSuffix = now > lastSuffix ? now : lastSuffix + 1n
  return {
    // Events of cluster-scoped objects live in the default namespace.
    namespace: object.metadata.namespace ?? 'default',
    name: `${object.metadata.name}.${lastSuffix.toString(16)}`,
    count: 0,
    lastTimestamp: '',
    queued: false,
    written: false,
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): Event['involvedObject'] {
  const { namespace, name, uid, resourceVersion } = metadata
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}
