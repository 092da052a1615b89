import { ask } from '../lab/https.ts'

/** Buckets of a histogram: how many values were at most so large. */
export type Buckets = readonly (readonly [upTo: number, count: number])[]

/** Reads a histogram of the Prometheus text format, for the series whose labels contain these. */
export function bucketsOf(text: string, metric: string, labels: readonly string[]): Buckets {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith(`${metric}_bucket{`) || !labels.every((label) => line.includes(label))) return []
    const upTo = /le="([^"]+)"/.exec(line)?.[1] ?? ''
    return [[upTo === '+Inf' ? Infinity : Number(upTo), Number(line.slice(line.lastIndexOf(' ') + 1))] as const]
  })
}

/** Upper end of the bucket in which the percentile lies. */
export function percentileOf(buckets: Buckets, part: number): number {
  const all = buckets.at(-1)?.[1] ?? 0
  return buckets.find(([, count]) => count >= all * part)?.[0] ?? NaN
}

/** Seconds that 99 % of the keys of a queue waited at most. */
export async function queueWait(port: number, queue: string): Promise<number> {
  const { body } = await ask(port, '/metrics')
  return percentileOf(bucketsOf(body, 'kubevirt_workqueue_queue_duration_seconds', [`name="${queue}"`]), 0.99)
}
