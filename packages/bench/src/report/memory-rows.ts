import { slope, type Level } from '../measure/fill.ts'
import type { Row } from '../row.ts'
import type { Chart } from '../scenarios/scenario.ts'

export function memoryRows(levels: readonly Level[], what: string): Row[] {
  const last = levels.at(-1)!
  return [
    {
      name: `virt-controller: heap for each ${what}`,
      value: slope(levels, ({ heapMiB }) => heapMiB),
      unit: 'KiB',
      goal: 30,
    },
    {
      name: `virt-controller: anonymous memory for each ${what}`,
      value: slope(levels, ({ usage }) => usage.anonymousMiB),
      unit: 'KiB',
    },
    { name: `virt-controller: RSS with ${last.objects}`, value: last.usage.rssMiB, unit: 'MiB', goal: 150 },
    { name: `virt-api: RSS with ${last.objects}`, value: last.api.rssMiB, unit: 'MiB', goal: 95 },
  ]
}

export const memoryChart = (levels: readonly Level[], what: string): Chart => ({
  title: `virt-controller's memory over ${what}s`,
  x: `${what}s present`,
  y: 'MiB',
  series: [
    { name: 'RSS', points: levels.map(({ objects, usage }) => [objects, usage.rssMiB] as const) },
    { name: 'heap after a collection', points: levels.map(({ objects, heapMiB }) => [objects, heapMiB] as const) },
  ],
})
