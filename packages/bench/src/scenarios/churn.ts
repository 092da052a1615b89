import { cpuBetween, usages } from '../measure/usage.ts'
import { between } from '../measure/timeline.ts'
import { percentilesOf } from '../measure/percentiles.ts'
import { settled } from '../measure/settled.ts'
import { serviceRows } from '../report/service-rows.ts'
import { createBatch, deleteBatch } from './pace.ts'
import { type Chart, realStarts, type Scenario, type Scene } from './scenario.ts'

/** Guests come and go for minutes: what does not come back to where it was? */
export const churn: Scenario = {
  name: 'churn',
  about: 'guests come and go at a pace for minutes: memory and CPU over time',
  defaults: { objects: 50, perSecond: 5, seconds: 600 },
  starts: realStarts,
  async run(scene) {
    const { lab, audit, probes, timeline, options } = scene
    const before = await usages(lab.children)
    const warm = await round(scene, 0)
    const heapBefore = await probes.controller.collectedHeap()
    const end = performance.now() + options.seconds * 1000
    const memory: (readonly [number, number])[] = []
    let rounds = 1
    const since = performance.now()
    for (; performance.now() < end; rounds++) {
      await round(scene, rounds)
      memory.push([(performance.now() - since) / 1000, (await usages(lab.children))['virt-controller']?.rssMiB ?? NaN])
    }
    await settled(audit)
    const heapAfter = await probes.controller.collectedHeap()
    const after = await usages(lab.children)
    const guests = rounds * options.objects
    const grown = (heapAfter - heapBefore) / 1024 / ((guests - options.objects) / 1000)
    const latency = percentilesOf(between(timeline.journeys('churn'), 'create', 'running'))
    return {
      rows: [
        { name: 'guests that came and went', value: guests, unit: 'requests' },
        {
          name: 'creation -> Running, p99',
          value: latency.p99,
          unit: 'ms',
          detail: `p50 ${latency.p50.toFixed(0)} ms`,
        },
        { name: 'virt-controller: heap after 1,000 guests', value: grown, unit: 'KiB', goal: 1024 },
        {
          name: 'virt-controller: CPU for each life',
          value: ((cpuBetween(before, after)['virt-controller'] ?? NaN) * 1000) / guests,
          unit: 'ms',
          goal: 30,
        },
        ...(await serviceRows(scene)),
      ],
      charts: [chart(memory)],
      details: { warm, memory },
    }
  },
}

async function round(scene: Scene, index: number): Promise<number> {
  const { lab, timeline, options } = scene
  const crowd = { client: lab.client, namespace: lab.namespace, timeline }
  const batch = { kind: 'vmi', prefix: `churn${index}`, count: options.objects, perSecond: options.perSecond } as const
  await createBatch(crowd, batch)
  await timeline.until(`${batch.prefix}-`, 'ready', batch.count, 120_000)
  await deleteBatch(crowd, { ...batch, perSecond: options.perSecond * 4 })
  await timeline.until(`${batch.prefix}-`, 'gone', batch.count, 120_000)
  return batch.count
}

const chart = (memory: Chart['series'][number]['points']): Chart => ({
  title: "virt-controller's memory while guests come and go",
  x: 'seconds',
  y: 'MiB',
  series: [{ name: 'RSS', points: memory }],
})
