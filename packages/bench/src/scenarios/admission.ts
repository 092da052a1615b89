import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import { calibrate } from '../guard/calibrate.ts'
import { configMapDryRun, dryRuns, type DryRun } from '../measure/dry-runs.ts'
import { percentilesOf } from '../measure/percentiles.ts'
import { cpuBetween, usages } from '../measure/usage.ts'
import { benchVm, benchVmi } from '../objects/vmi.ts'
import type { Row } from '../row.ts'
import type { Scenario, Scene } from './scenario.ts'

const cases: readonly DryRun[] = [
  configMapDryRun,
  { name: 'VMI', resource: virtualMachineInstances, make: benchVmi },
  { name: 'VM', resource: virtualMachines, make: benchVm },
]

/**
 * What the original admits in a second, 8 at a time, on two cores, with a third more; the same beside the 1,889 ConfigMaps of
 * its run, since no two machines are alike; and half of its CPU.
 */
const goals = { perSecond: 1.3 * 249, part: 0.171, cpuMs: 1, rssMiB: 85 }

/** Dry-run creations pass both webhooks and leave nothing behind. */
export const admission: Scenario = {
  name: 'admission',
  about: 'dry-run creations through both webhooks, beside a ConfigMap without any',
  defaults: { objects: 1000, perSecond: 0, seconds: 0 },
  async run(scene) {
    const before = await calibrate()
    const rows: Row[] = []
    for (const each of cases) {
      for (const atOnce of [1, 8, 200]) rows.push(...(await measure(scene, each, atOnce)))
    }
    const { rssMiB = NaN } = (await usages(scene.lab.children))['virt-api'] ?? {}
    rows.push({ name: 'virt-api: RSS after it', value: rssMiB, unit: 'MiB', goal: goals.rssMiB })
    rows.push(partRow(rows), speedRow(before, await calibrate()))
    return { rows }
  },
}

/** The same machine, minute and client for both: what the rate itself says only of a machine like the original's. */
function partRow(rows: readonly Row[]): Row {
  const rate = (kind: string) => rows.find(({ name }) => name === `${kind}, 8 at a time: in a second`)?.value ?? NaN
  return {
    name: 'VMI, 8 at a time: in a second, of the ConfigMaps',
    value: rate('VMI') / rate('ConfigMap'),
    unit: 'x',
    atLeast: goals.part,
  }
}

/** A machine is not as fast at any hour: CPU times of two runs are to be compared as parts of this. */
const speedRow = (before: number, after: number): Row => ({
  name: 'fixed work of a service',
  value: (before + after) / 2,
  unit: 'ms',
  detail: `before ${before.toFixed(0)}, after ${after.toFixed(0)} ms of CPU`,
})

async function measure({ lab, options }: Scene, each: DryRun, atOnce: number): Promise<Row[]> {
  const before = await usages(lab.children)
  const own = process.cpuUsage()
  const { times, seconds } = await dryRuns(lab, each, { count: options.objects, atOnce })
  const { user, system } = process.cpuUsage(own)
  const cpu = cpuBetween(before, await usages(lab.children))
  const { p50, p95, p99 } = percentilesOf(times)
  const name = `${each.name}, ${atOnce} at a time`
  const detail = `p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)} ms`
  const judged = each.name === 'VMI' && atOnce === 8
  const cpuOf = (program: string) => ((cpu[program] ?? NaN) * 1000) / options.objects
  const cpuMs = cpuOf('virt-api')
  return [
    { name: `${name}: dry-run creation, p50`, value: p50, unit: 'ms', detail },
    {
      name: `${name}: in a second`,
      value: options.objects / seconds,
      unit: '/s',
      detail: `CPU each: API server ${cpuOf('kube-apiserver').toFixed(2)}, etcd ${cpuOf('etcd').toFixed(2)}, this client ${((user + system) / 1000 / options.objects).toFixed(2)} ms`,
      ...(judged && { atLeast: goals.perSecond }),
    },
    { name: `${name}: CPU of virt-api`, value: cpuMs, unit: 'ms', ...(judged && { goal: goals.cpuMs }) },
  ]
}
