import {
  pods,
  virtualMachineInstances,
  virtualMachines,
  type Pod,
  type ResourceType,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@kubevirt-ts/api'
import type { KubeClient, WatchEvent } from '@kubevirt-ts/kubecli'

/** What happens to an object on its way, in this order; `gone` at its end. */
export const stations = ['create', 'answered', 'pod', 'bound', 'podRunning', 'handedOver', 'running', 'ready'] as const

export type Station = (typeof stations)[number] | 'deleted' | 'gone'

/** When an object was first seen at a station, in milliseconds of one clock: this process's. */
export type Journey = Partial<Record<Station, number>>

/**
 * Notes when objects of a namespace reach each station, as a client with watches sees it. Pods count for the object
 * that their `vm.kubevirt.io/name` label or, for plain pods, their ReplicaSet's label names.
 */
export class Timeline {
  readonly #journeys = new Map<string, Journey>()
  readonly #ending = new AbortController()
  readonly #waiting = new Set<() => void>()
  readonly #watches: Promise<void>[] = []

  /** From its answer on nothing is missed. */
  static async start(client: KubeClient, namespace: string): Promise<Timeline> {
    const timeline = new Timeline()
    await Promise.all([
      timeline.#follow(client, namespace, pods, (type, pod) => timeline.#pod(type, pod)),
      timeline.#follow(client, namespace, virtualMachineInstances, (type, vmi) => timeline.#vmi(type, vmi)),
      timeline.#follow(client, namespace, virtualMachines, (type, vm) => timeline.#vm(type, vm)),
    ])
    return timeline
  }

  /** An object that is to be created now. */
  mark(name: string, station: Station): void {
    this.#journey(name)[station] ??= performance.now()
  }

  /** Journeys of objects whose name begins so. */
  journeys(prefix: string): Journey[] {
    return [...this.#journeys].filter(([name]) => name.startsWith(prefix)).map(([, journey]) => journey)
  }

  /** Waits until so many objects of this prefix were seen at the station; rejects after the time. */
  async until(prefix: string, station: Station, count: number, timeoutMs: number): Promise<void> {
    const arrived = () => this.journeys(prefix).filter((journey) => journey[station] !== undefined).length
    await this.#condition(
      () => arrived() >= count,
      timeoutMs,
      () => `only ${arrived()} of ${count} ${prefix}… reached ${station} in ${timeoutMs / 1000} s`,
    )
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#watches)
  }

  async #follow<T>(
    client: KubeClient,
    namespace: string,
    resource: ResourceType<T>,
    see: (type: string, object: T) => void,
  ): Promise<void> {
    const { metadata } = await client.list(resource, { namespace })
    const signal = this.#ending.signal
    const read = async () => {
      let { resourceVersion } = metadata
      while (!signal.aborted) {
        for await (const event of client.watch(resource, { namespace, resourceVersion, signal })) {
          resourceVersion = versionOf(event)
          if (event.type === 'BOOKMARK') continue
          see(event.type, event.object)
          for (const check of this.#waiting) check()
        }
      }
    }
    this.#watches.push(read())
  }

  #condition(holds: () => boolean, timeoutMs: number, otherwise: () => string): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Error(otherwise()))), timeoutMs)
      const check = () => holds() && settle(resolve)
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        this.#waiting.delete(check)
        finish()
      }
      this.#waiting.add(check)
    })
  }

  #pod(type: string, { metadata, spec, status }: Pod): void {
    const name = metadata.labels?.['vm.kubevirt.io/name'] ?? plainName(metadata)
    if (name === undefined || type === 'DELETED') {
      if (name !== undefined && metadata.labels?.['reference'] !== undefined) this.mark(name, 'gone')
      return
    }
    this.mark(name, 'pod')
    if (spec.nodeName !== undefined) this.mark(name, 'bound')
    if (status?.phase === 'Running') this.mark(name, 'podRunning')
    if (status?.phase === 'Running' && metadata.labels?.['reference'] !== undefined) this.mark(name, 'running')
  }

  #vmi(type: string, { metadata, status }: VirtualMachineInstance): void {
    const name = metadata.name ?? ''
    if (type === 'DELETED') return this.mark(name, 'gone')
    if (status?.phase === 'Scheduled') this.mark(name, 'handedOver')
    if (status?.phase === 'Running') this.mark(name, 'running')
    if (status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True')) this.mark(name, 'ready')
  }

  #vm(type: string, { metadata, status }: VirtualMachine): void {
    const name = `vm:${metadata.name}`
    if (type === 'DELETED') return this.mark(name, 'gone')
    if (status?.printableStatus === 'Running') this.mark(name, 'running')
    if (status?.ready === true) this.mark(name, 'ready')
  }

  #journey(name: string): Journey {
    const known = this.#journeys.get(name) ?? {}
    this.#journeys.set(name, known)
    return known
  }
}

/** A ReplicaSet of one pod names it; a larger one's pods go by their own names. */
function plainName({ name, labels }: Pod['metadata']): string | undefined {
  const set = labels?.['app']
  if (set === undefined || labels?.['reference'] === undefined) return undefined
  return set.endsWith('-many') ? name : set
}

const versionOf = <T>({ object }: WatchEvent<T>): string | undefined =>
  (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion

/** Milliseconds between two stations of each object that reached both. */
export function between(journeys: readonly Journey[], from: Station, to: Station): number[] {
  return journeys.flatMap((journey) => {
    const [a, b] = [journey[from], journey[to]]
    return a === undefined || b === undefined ? [] : [b - a]
  })
}
