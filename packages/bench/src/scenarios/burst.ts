import { configMapDryRun, dryRuns, originalsConfigMaps } from '../measure/dry-runs.ts'
import { liveThrough } from '../measure/life.ts'
import { createPodsAtOnce, deletePodsAtOnce } from './pace.ts'
import { cpuRows, latencyRows, requestTable, writeRows } from '../report/life-rows.ts'
import { serviceRows } from '../report/service-rows.ts'
import type { Journey, Station } from '../measure/timeline.ts'
import type { Lab } from '../lab/lab.ts'
import type { Scenario } from './scenario.ts'
import { latencyChart } from './steady.ts'

/** The original had 11.7 VMIs Running per second on two cores; a goal is twice that. */
const original = 11.7

/** As many guests as asked for, created at once; beside one ReplicaSet of as many pods. */
export const burst: Scenario = {
  name: 'burst',
  about: 'creations all at once: how many per second reach Running, beside a ReplicaSet',
  defaults: { objects: 300, perSecond: 0, seconds: 0 },
  async run(scene) {
    const { objects: count } = scene.options
    const { lab, timeline } = scene
    const crowd = { client: lab.client, namespace: lab.namespace, timeline }
    const before = await configMapsPerSecond(lab)
    const begun = await createPodsAtOnce(crowd, 'set', count)
    await timeline.until('set-many-', 'running', count, 300_000)
    const pods = count / ((performance.now() - begun) / 1000)
    scene.say(`  ${pods.toFixed(1)} pods per second`)
    await deletePodsAtOnce(crowd, 'set')
    const vmis = await liveThrough(scene, { kind: 'vmi', prefix: 'vmi', count })
    const rate = perSecond(vmis.journeys, 'running')
    const configMaps = (before + (await configMapsPerSecond(lab))) / 2
    return {
      rows: [
        { name: 'ReplicaSet: pods Running per second', value: pods, unit: '/s' },
        { name: 'VMIs Running per second', value: rate, unit: '/s', atLeast: 2 * original },
        {
          name: "VMIs Running per second, of the original's at this machine's speed",
          value: (rate / original) * (originalsConfigMaps / configMaps),
          unit: 'x',
          atLeast: 2,
          detail: `${configMaps.toFixed(0)} ConfigMaps in a second here, ${originalsConfigMaps} there`,
        },
        { name: 'VMIs Ready per second', value: perSecond(vmis.journeys, 'ready'), unit: '/s' },
        { name: 'VMI / plain pod: per second', value: rate / pods, unit: 'x', atLeast: 0.5 },
        ...latencyRows(vmis, 'VMI'),
        ...writeRows(vmis, 'VMI', { ready: 5, whole: 9 }),
        ...cpuRows(vmis, 'VMI'),
        ...(await serviceRows(scene)),
      ],
      charts: [latencyChart(`${count} at once`, [vmis])],
      details: { requests: { vmi: requestTable(vmis) } },
    }
  },
}

/** From the first creation until the last of them came there. */
function perSecond(journeys: readonly Journey[], station: Station): number {
  const first = Math.min(...journeys.map(({ create = NaN }) => create))
  const last = Math.max(...journeys.map(({ [station]: at = NaN }) => at))
  return (1000 * journeys.length) / (last - first)
}

/** The machine's own speed in that minute, before or after the burst: the original's rate was taken on another one. */
async function configMapsPerSecond(lab: Lab): Promise<number> {
  const count = 2000
  const { seconds } = await dryRuns(lab, configMapDryRun, { count, atOnce: 8 })
  return count / seconds
}
