import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calibrate } from '../guard/calibrate.ts'
import { judge, type Limits, type Verdict } from '../guard/judge.ts'
import { liveThrough, type Life } from '../measure/life.ts'
import { cpuBetween } from '../measure/usage.ts'
import { requestTable, writeRows } from '../report/life-rows.ts'
import type { Row } from '../row.ts'
import type { Scenario, Scene } from './scenario.ts'

const here = join(import.meta.dirname, '..', 'guard')

/** Defects that the guard has to find, and the limit that each must break. */
const plants = [['write', 'VMI: writes by virt-controller until Ready']] as const

/** Exact counts, and a cost as a part of a calibration in the same run; then the counts with a defect planted. */
export const guard: Scenario = {
  name: 'guard',
  about: 'the short form for CI: a few lives against limits.json, then with defects planted',
  defaults: { objects: 20, perSecond: 10, seconds: 0 },
  async run(scene) {
    const limits = JSON.parse(await readFile(join(here, '..', '..', 'limits.json'), 'utf8')) as Limits
    const [cost, vmis] = [await costOf(scene), await live(scene, 'vmi', 'plain')]
    const vms = await live(scene, 'vm', 'plain')
    const rows = [...vmiRows(vmis), ...writeRows(vms, 'VM', { ready: 9, whole: 15 }), cost]
    const verdicts = judge(rows, limits)
    for (const [plant, row] of plants) {
      scene.say(`planting ${plant} …`)
      await restartWith(scene, plant)
      const planted = judge(vmiRows(await live(scene, 'vmi', `planted-${plant}`)), limits)
      verdicts.push(
        found(
          plant,
          planted.find((verdict) => verdict.row === row),
        ),
      )
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
  holds: broken?.holds === false,
})

async function restartWith({ lab }: Scene, plant: string): Promise<void> {
  await lab.kill('virt-controller')
  await lab.releaseLease()
  await lab.start('virt-controller', { NODE_OPTIONS: `--import=${join(here, 'plants', `${plant}.mjs`)}` })
}

/** Told, but without a limit: a machine that others use too says little about CPU time. */
async function costOf(scene: Scene): Promise<Row> {
  const calibration = await calibrate()
  const { usage, batch } = await live(scene, 'vmi', 'warm')
  const cost = ((cpuBetween(usage.before, usage.gone)['virt-controller'] ?? NaN) * 1000) / batch.count
  return {
    name: 'virt-controller: CPU for each VMI, of the calibration',
    value: cost / calibration,
    unit: 'x',
    detail: `${cost.toFixed(1)} ms, calibration ${calibration.toFixed(0)} ms`,
  }
}
