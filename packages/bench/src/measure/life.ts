import type { Scene } from '../scenarios/scenario.ts'
import { createBatch, deleteBatch, type Batch } from '../scenarios/pace.ts'
import type { Requests } from './audit.ts'
import { settled } from './settled.ts'
import type { Journey } from './timeline.ts'
import { usages, type Usages } from './usage.ts'

/** A batch from its first creation until nothing of it is left, with what it cost in between. */
export type Life = {
  readonly batch: Batch
  readonly journeys: readonly Journey[]
  /** Until the last one was ready, from the first creation. */
  readonly seconds: number
  readonly until: { readonly ready: readonly Requests[]; readonly gone: readonly Requests[] }
  readonly usage: { readonly before: Usages; readonly ready: Usages; readonly gone: Usages }
}

const timeoutMs = 600_000

/** Creates a batch, waits until all of it is ready, deletes it, and waits until all of it is gone. */
export async function liveThrough(scene: Scene, batch: Batch): Promise<Life> {
  const { lab, timeline, audit, say } = scene
  const crowd = { client: lab.client, namespace: lab.namespace, timeline }
  const tracked = batch.kind === 'vm' ? `vm:${batch.prefix}-` : `${batch.prefix}-`
  const from = await audit.mark()
  const before = await usages(lab.children)
  const started = performance.now()
  await createBatch(crowd, batch)
  await timeline.until(tracked, batch.kind === 'pod' ? 'running' : 'ready', batch.count, timeoutMs)
  const seconds = (performance.now() - started) / 1000
  await settled(audit)
  const ready = await usages(lab.children)
  const middle = await audit.mark()
  say(`  ${batch.count} ${batch.kind}s ready in ${seconds.toFixed(1)} s`)
  await deleteBatch(crowd, batch)
  await timeline.until(tracked, 'gone', batch.count, timeoutMs)
  await settled(audit)
  const to = await audit.mark()
  const gone = await usages(lab.children)
  return {
    batch,
    seconds,
    journeys: timeline.journeys(`${batch.prefix}-`),
    until: {
      ready: await audit.requests(from, middle, lab.namespace),
      gone: await audit.requests(middle, to, lab.namespace),
    },
    usage: { before, ready, gone },
  }
}
