import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calibrate } from '../guard/calibrate.ts'
import { judge, type Limits, type Verdict } from '../guard/judge.ts'
import { liveThrough, type Life } from '../measure/life.ts'
import { cpuBetween } from '../measure/usage.ts'
import { requestTable, writeRows } from '../report/life-rows.ts'
import type { Row } from '../row.ts'
import type { Scenario, Scene } from './scenario.ts'

const costRow = 'virt-controller: CPU for each VMI, of the calibration'

const here = join(import.meta.dirname, '..', 'guard')

/** Defects that the guard has to find: what it looks at, and the limit that each must break. */
const plants: readonly Plant[] = [
  {
    name: 'write',
    row: 'VMI: writes by virt-controller until Ready',
    look: async (scene) => vmiRows(await live(scene, 'vmi', 'planted-write')),
  },
  { name: 'slow', row: costRow, look: async (scene) => [await costOf(scene, 'planted-slow')] },
]

type Plant = { readonly name: string; readonly row: string; readonly look: (scene: Scene) => Promise<readonly Row[]> }

/** Exact counts, and a cost as a part of a calibration in the same run; then both with a defect planted. */
export const guard: Scenario = {
  name: 'guard',
  about: 'the short form for CI: a few lives against limits.json, then with defects planted',
  defaults: { objects: 20, perSecond: 10, seconds: 0 },
  async run(scene) {
    const limits = JSON.parse(await readFile(join(here, '..', '..', 'limits.json'), 'utf8')) as Limits
    const cost = await costOf(scene, 'plain')
    const [vmis, vms] = [await live(scene, 'vmi', 'plain'), await live(scene, 'vm', 'plain')]
    const rows = [...vmiRows(vmis), ...writeRows(vms, 'VM', { ready: 9, whole: 15 }), cost]
    const verdicts = judge(rows, limits)
    for (const { name, row, look } of plants) {
      scene.say(`planting ${name} …`)
      await restartWith(scene, name)
      // Beside what this run has measured: on another machine a limit lies nearer or farther.
      const { value: atMost = NaN } = rows.find((each) => each.name === row) ?? {}
      const { noise = NaN, again = noise } = limits[row] ?? {}
      const [planted] = judge(await look(scene), { [row]: { atMost, noise: again } })
      verdicts.push(found(name, planted))
    }
    return { rows, verdicts, details: { requests: { vmi: requestTable(vmis), vm: requestTable(vms) } } }
  },
}

function live(scene: Scene, kind: 'vmi' | 'vm', prefix: string): Promise<Life> {
  const { objects: count, perSecond } = scene.options
  return liveThrough(scene, { kind, prefix: `${prefix}-${kind}`, count, perSecond })
}

const vmiRows = (life: Life): Row[] => writeRows(life, 'VMI', { ready: 5, whole: 9 })

const found = (plant: string, broken: Verdict | undefined): Verdict => ({
  row: `a planted defect is found: ${plant}`,
  value: broken?.value ?? NaN,
  allowed: broken?.allowed ?? NaN,
  holds: broken?.holds === false && !Number.isNaN(broken.value + broken.allowed),
})

async function restartWith({ lab }: Scene, plant: string): Promise<void> {
  await lab.kill('virt-controller')
  await lab.releaseLease()
  await lab.start('virt-controller', { NODE_OPTIONS: `--import=${join(here, 'plants', `${plant}.mjs`)}` })
}

/** So many, of which the least counts: others on the machine and a compiler that is not done yet only add. */
const costRounds = 7

/** CPU time of virt-controller for a VMI's life, as a part of what fixed work costs in the same minute. */
async function costOf(scene: Scene, prefix: string): Promise<Row> {
  await live(scene, 'vmi', `${prefix}-warm`)
  const calibrations = [await calibrate()]
  const costs: number[] = []
  for (let round = 0; round < costRounds; round++) {
    const { usage, batch } = await live(scene, 'vmi', `${prefix}-cost${round}`)
    calibrations.push(await calibrate())
    const spent = (cpuBetween(usage.before, usage.gone)['virt-controller'] ?? NaN) * 1000
    costs.push(spent / batch.count)
  }
  const unit = Math.min(...calibrations)
  const detail = `${Math.min(...costs).toFixed(1)} to ${Math.max(...costs).toFixed(1)} ms, of ${unit.toFixed(0)} ms`
  return { name: costRow, value: (100 * Math.min(...costs)) / unit, unit: '%', detail }
}
