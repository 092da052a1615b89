import { isWrite, lostRace, succeeded, total, writesBy } from '../measure/audit.ts'
import type { Life } from '../measure/life.ts'
import { percentilesOf } from '../measure/percentiles.ts'
import { between, stations, type Station } from '../measure/timeline.ts'
import { cpuBetween } from '../measure/usage.ts'
import type { Row } from '../row.ts'

const controller = 'virt-controller'
const handler = 'virt-handler'

/** Percentiles from the creation to each station. */
export function latencyRows(life: Life, name: string): Row[] {
  return stations.flatMap((station) => {
    const times = between(life.journeys, 'create', station)
    if (times.length === 0 || station === 'create') return []
    const { p50, p95, p99 } = percentilesOf(times)
    const detail = `p95 ${p95.toFixed(0)}, p99 ${p99.toFixed(0)} ms`
    return [{ name: `${name}: creation -> ${words[station] ?? station}, p50`, value: p50, unit: 'ms', detail } as const]
  })
}

const words: Partial<Record<Station, string>> = {
  answered: 'answered',
  pod: 'pod created',
  bound: 'pod bound',
  podRunning: 'pod Running',
  handedOver: 'handed over',
  running: 'Running',
  ready: 'Ready',
}

/** How much slower than the reference pods of the same run. */
export function ratioRows(life: Life, reference: Life, goals: RatioGoals): Row[] {
  const handedOver = percentilesOf(between(life.journeys, 'create', 'handedOver'))
  const ours = percentilesOf(between(life.journeys, 'create', 'running'))
  const theirs = percentilesOf(between(reference.journeys, 'create', 'running'))
  const name = (station: string, part: string) =>
    `${life.batch.kind.toUpperCase()} / plain pod: creation -> ${station}, ${part}`
  return [
    { name: name('handed over', 'p50'), value: handedOver.p50 / theirs.p50, unit: 'x', goal: goals.handedOver },
    { name: name('Running', 'p50'), value: ours.p50 / theirs.p50, unit: 'x', goal: goals.p50 },
    { name: name('Running', 'p99'), value: ours.p99 / theirs.p99, unit: 'x', goal: goals.p99 },
  ]
}

type RatioGoals = { readonly handedOver: number; readonly p50: number; readonly p99: number }

export type WriteGoals = { readonly ready: number; readonly whole: number }

/** Writes for each object, from the API server's own record. */
export function writeRows(life: Life, name: string, goals: WriteGoals): Row[] {
  const { ready, gone } = life.until
  const each = (count: number): number => count / life.batch.count
  const all = [...ready, ...gone]
  const failed = total(all.filter((request) => isWrite(request) && lostRace(request)))
  const writes = total(all.filter((request) => isWrite(request) && succeeded(request)))
  return [
    {
      name: `${name}: writes by virt-controller until Ready`,
      value: each(writesBy(ready, controller)),
      unit: 'writes',
      goal: goals.ready,
    },
    {
      name: `${name}: writes by virt-controller and virt-handler, whole life`,
      value: each(writesBy(all, controller, handler)),
      unit: 'writes',
      goal: goals.whole,
    },
    { name: `${name}: writes lost to another's`, value: (100 * failed) / writes, unit: '%', goal: 0.5 },
  ]
}

/** CPU time of each program for each object, until Ready. */
export function cpuRows({ usage, batch }: Life, name: string): Row[] {
  return Object.entries(cpuBetween(usage.before, usage.ready)).map(([program, seconds]) => ({
    name: `${name}: CPU of ${program} until Ready`,
    value: (seconds * 1000) / batch.count,
    unit: 'ms',
  }))
}

/** Every kind of request by our programs for each object, most frequent first. */
export const requestTable = (life: Life): object[] =>
  (['ready', 'gone'] as const).flatMap((part) =>
    life.until[part].map(({ count, ...request }) => ({ until: part, ...request, each: count / life.batch.count })),
  )
