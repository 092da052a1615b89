import { queueWait } from '../measure/scrape.ts'
import { usages } from '../measure/usage.ts'
import type { Row } from '../row.ts'
import type { Scene } from '../scenarios/scenario.ts'

/** How the services feel: queues, event loops, memory. */
export async function serviceRows({ lab, probes }: Scene): Promise<Row[]> {
  const now = await usages(lab.children)
  const queues = await Promise.all(
    (['vmi', 'vm'] as const).map(async (queue): Promise<Row> => {
      const value = await queueWait(lab.ports.controller, `virt-controller-${queue}`)
      return { name: `queue of the ${queue} controller: wait, p99 at most`, value, unit: 's', goal: 0.1 }
    }),
  )
  const loops = Object.entries(probes).flatMap(([name, { readings }]): Row[] => {
    const { p99Ms = NaN, maxMs = NaN } = readings.at(-1) ?? {}
    const detail = `max ${maxMs.toFixed(0)} ms; 10 ms of it are the measure's own`
    return [{ name: `event loop of virt-${name}: delay, p99`, value: p99Ms, unit: 'ms', goal: 20, detail }]
  })
  const memory = (['virt-controller', 'virt-api'] as const).map((name): Row => {
    const { rssMiB = NaN, pssMiB = NaN } = now[name] ?? {}
    return { name: `${name}: RSS`, value: rssMiB, unit: 'MiB', detail: `PSS ${pssMiB.toFixed(0)} MiB` }
  })
  return [...queues, ...loops, ...memory]
}
