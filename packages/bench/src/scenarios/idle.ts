import { setTimeout as delay } from 'node:timers/promises'
import { fill } from '../measure/fill.ts'
import { total, type Requests } from '../measure/audit.ts'
import { cpuBetween, usages } from '../measure/usage.ts'
import { memoryChart, memoryRows } from '../report/memory-rows.ts'
import type { Scenario } from './scenario.ts'

const ours: ReadonlySet<string> = new Set(['virt-controller', 'virt-api'])

/** Nothing happens: what do the services ask the API server for, and what do they cost? */
export const idle: Scenario = {
  name: 'idle',
  about: 'running VMs that nobody touches: requests and CPU per minute',
  defaults: { objects: 100, perSecond: 0, seconds: 60 },
  async run(scene) {
    const { lab, audit, options } = scene
    const levels = await fill(scene, 'vm', [options.objects])
    const [from, before] = [await audit.mark(), await usages(lab.children)]
    await delay(options.seconds * 1000)
    const [to, after] = [await audit.mark(), await usages(lab.children)]
    const asked = (await audit.requests(from, to)).filter(({ agent }) => ours.has(agent))
    const aboutVms = (await audit.requests(from, to, lab.namespace)).filter(({ agent }) => ours.has(agent))
    const aMinute = (value: number) => (value * 60) / options.seconds
    const cpu = cpuBetween(before, after)
    return {
      rows: [
        {
          name: `requests with ${options.objects} VMs, per minute`,
          value: aMinute(notWatches(asked)),
          unit: 'requests',
          goal: 60,
        },
        {
          name: 'requests about the VMs and what belongs to them',
          value: notWatches(aboutVms),
          unit: 'requests',
          goal: 0,
        },
        { name: 'virt-controller: CPU per minute', value: aMinute(cpu['virt-controller'] ?? NaN), unit: 's' },
        { name: 'virt-api: CPU per minute', value: aMinute(cpu['virt-api'] ?? NaN), unit: 's' },
        ...memoryRows(levels, 'VM'),
      ],
      charts: [memoryChart(levels, 'VM')],
      details: { asked, aboutVms, levels },
    }
  },
}

/** A watch that ends after its time is opened again; that is no request about an object. */
const notWatches = (requests: readonly Requests[]): number => total(requests.filter(({ verb }) => verb !== 'watch'))
