/** What one guest has used up to a moment, or uses at it; absent is not known. */
export interface Usage {
  readonly namespace: string
  readonly name: string
  readonly node?: string
  /** CPUs at this moment, as the metrics API averages them. */
  readonly cpus?: number
  /** Bytes of the whole pod. */
  readonly memory?: number
  /** Seconds of CPU since the guest began. */
  readonly cpuSeconds?: number
  /** Bytes since the guest began. */
  readonly diskRead?: number
  readonly diskWritten?: number
  readonly received?: number
  readonly sent?: number
}

/** All guests at a moment; `at` in milliseconds. */
export interface Snapshot {
  readonly at: number
  readonly guests: readonly Usage[]
  /** What could not be asked, in words. */
  readonly missing: readonly string[]
}

/** What one guest does now; rates are bytes per second. */
export interface Row {
  readonly namespace: string
  readonly name: string
  readonly node: string
  readonly cpus: number | undefined
  readonly memory: number | undefined
  readonly diskRead: number | undefined
  readonly diskWritten: number | undefined
  readonly received: number | undefined
  readonly sent: number | undefined
}

export const orders = ['name', 'cpu', 'memory', 'disk', 'network'] as const
export type Order = (typeof orders)[number]

/** What happened between two moments. A guest that started again in between has no rates yet. */
export function rows(before: Snapshot | undefined, now: Snapshot, order: Order): Row[] {
  const seconds = before ? (now.at - before.at) / 1000 : 0
  const earlier = new Map(before?.guests.map((each) => [keyOf(each), each]))
  const all = now.guests.map((guest) => {
    const was = earlier.get(keyOf(guest))
    const rate = (read: (usage: Usage) => number | undefined): number | undefined => {
      const [a, b] = [was && read(was), read(guest)]
      return a === undefined || b === undefined || b < a || seconds <= 0 ? undefined : (b - a) / seconds
    }
    return {
      namespace: guest.namespace,
      name: guest.name,
      node: guest.node ?? '',
      cpus: rate(({ cpuSeconds }) => cpuSeconds) ?? guest.cpus,
      memory: guest.memory,
      diskRead: rate(({ diskRead }) => diskRead),
      diskWritten: rate(({ diskWritten }) => diskWritten),
      received: rate(({ received }) => received),
      sent: rate(({ sent }) => sent),
    }
  })
  return all.toSorted((a, b) => weight(b, order) - weight(a, order) || (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => `${namespace}/${name}`

function weight(row: Row, order: Order): number {
  if (order === 'cpu') return row.cpus ?? -1
  if (order === 'memory') return row.memory ?? -1
  if (order === 'disk') return (row.diskRead ?? 0) + (row.diskWritten ?? 0)
  return order === 'network' ? (row.received ?? 0) + (row.sent ?? 0) : 0
}
