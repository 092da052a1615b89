import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calibrate } from '../guard/calibrate.ts'
import { judge, type Limits, type Verdict } from '../guard/judge.ts'
import { liveThrough } from '../measure/life.ts'
import { cpuBetween } from '../measure/usage.ts'
import { requestTable, writeRows } from '../report/life-rows.ts'
import type { Row } from '../row.ts'
import type { Scenario, Scene } from './scenario.ts'

const here = join(import.meta.dirname, '..', 'guard')

/** Defects that the guard has to find, and the limit that each must break. */
const plants = [['write', 'VMI: writes by virt-controller until Ready']] as const

/** Exact counts, and a cost as a part of a calibration in the same run; then the same with a defect planted. */
export const guard: Scenario = {
  name: 'guard',
  about: 'the short form for CI: a few lives against limits.json, then with defects planted',
  defaults: { objects: 20, perSecond: 10, seconds: 0 },
  async run(scene) {
    const limits = JSON.parse(await readFile(join(here, '..', '..', 'limits.json'), 'utf8')) as Limits
    const { rows, requests } = await shortForm(scene, 'plain', 3)
    const verdicts = judge(rows, limits)
    for (const [plant, row] of plants) {
      scene.say(`planting ${plant} …`)
      await restartWith(scene, plant)
      const planted = await shortForm(scene, `planted-${plant}`, 1)
      verdicts.push(
        found(
          plant,
          judge(planted.rows, limits).find((verdict) => verdict.row === row),
        ),
      )
    }
    return { rows, verdicts, details: { requests } }
  },
}

const found = (plant: string, broken: Verdict | undefined): Verdict => ({
  row: `a planted defect is found: ${plant}`,
  value: broken?.value ?? NaN,
  allowed: broken?.allowed ?? NaN,
  holds: broken?.holds === false,
})

async function restartWith({ lab }: Scene, plant: string): Promise<void> {
  await lab.kill('virt-controller')
  await lab.releaseLease()
  await lab.start('virt-controller', { NODE_OPTIONS: `--import=${join(here, 'plants', `${plant}.mjs`)}` })
}

/** The least of the rounds is taken where noise can only add. */
async function shortForm(scene: Scene, prefix: string, rounds: number): Promise<{ rows: Row[]; requests: object }> {
  const { objects: count, perSecond } = scene.options
  const costs: number[] = []
  const works: number[] = []
  const live = (kind: 'vmi' | 'vm', round: number) =>
    liveThrough(scene, { kind, prefix: `${prefix}-${kind}-${round}`, count, perSecond })
  for (let round = 0; round < rounds; round++) {
    works.push(await calibrate())
    const { usage } = await live('vmi', round)
    costs.push(((cpuBetween(usage.before, usage.gone)['virt-controller'] ?? NaN) * 1000) / count)
  }
  const [vmis, vms] = [await live('vmi', rounds), await live('vm', 0)]
  const detail = `${Math.min(...costs).toFixed(1)} ms, calibration ${Math.min(...works).toFixed(0)} ms`
  return {
    rows: [
      ...writeRows(vmis, 'VMI', { ready: 5, whole: 9 }),
      ...writeRows(vms, 'VM', { ready: 9, whole: 15 }),
      {
        name: 'virt-controller: CPU for each VMI, of the calibration',
        value: Math.min(...costs) / Math.min(...works),
        unit: 'x',
        detail,
      },
    ],
    requests: { vmi: requestTable(vmis), vm: requestTable(vms) },
  }
}
