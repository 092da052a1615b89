import { liveThrough } from '../measure/life.ts'
import { between } from '../measure/timeline.ts'
import { percentilesOf } from '../measure/percentiles.ts'
import { cpuRows, latencyRows, ratioRows, requestTable, writeRows } from '../report/life-rows.ts'
import { serviceRows } from '../report/service-rows.ts'
import { type Chart, realStarts, type Scenario } from './scenario.ts'
import type { Life } from '../measure/life.ts'

/** Guests, VMs and plain pods, each created and deleted at one pace. */
export const steady: Scenario = {
  name: 'steady',
  about: 'creations at a pace: latency beside plain pods, writes and CPU of a whole life',
  defaults: { objects: 100, perSecond: 5, seconds: 0 },
  starts: realStarts,
  async run(scene) {
    const { objects: count, perSecond } = scene.options
    const pods = await liveThrough(scene, { kind: 'pod', prefix: 'pod', count, perSecond })
    const vmis = await liveThrough(scene, { kind: 'vmi', prefix: 'vmi', count, perSecond })
    const vms = await liveThrough(scene, { kind: 'vm', prefix: 'owned', count, perSecond })
    return {
      rows: [
        ...latencyRows(pods, 'plain pod'),
        ...latencyRows(vmis, 'VMI'),
        ...ratioRows(vmis, pods, { handedOver: 1.3, p50: 2, p99: 3 }),
        ...writeRows(vmis, 'VMI', { ready: 5, whole: 9 }),
        ...cpuRows(vmis, 'VMI'),
        ...latencyRows(vms, 'VM'),
        ...writeRows(vms, 'VM', { ready: 9, whole: 15 }),
        ...cpuRows(vms, 'VM'),
        ...(await serviceRows(scene)),
      ],
      charts: [latencyChart(`creations at ${perSecond} per second`, [pods, vmis, vms])],
      details: { requests: { pod: requestTable(pods), vmi: requestTable(vmis), vm: requestTable(vms) } },
    }
  },
}

/** Latency of each object over the moment of its creation. */
export function latencyChart(title: string, lives: readonly Life[]): Chart {
  const series = lives.map(({ batch, journeys }) => {
    const first = Math.min(...journeys.map(({ create = Infinity }) => create))
    const points = journeys
      .filter(({ create, running }) => create !== undefined && running !== undefined)
      .map(({ create = 0, running = 0 }) => [(create - first) / 1000, running - create] as const)
      .toSorted(([a], [b]) => a - b)
    const { p50 } = percentilesOf(between(journeys, 'create', 'running'))
    return { name: `${batch.kind}, p50 ${p50.toFixed(0)} ms`, points }
  })
  return { title: `creation -> Running, ${title}`, x: 'seconds since the first creation', y: 'milliseconds', series }
}
