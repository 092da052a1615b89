import { setTimeout as delay } from 'node:timers/promises'
import { virtualMachineInstances } from '@kubevirt-ts/api'
import { fill } from '../measure/fill.ts'
import { benchVmi } from '../objects/vmi.ts'
import { memoryChart, memoryRows } from '../report/memory-rows.ts'
import type { Scenario, Scene } from './scenario.ts'

/** virt-controller is killed with many guests present; a new one has to find its way. */
export const restart: Scenario = {
  name: 'restart',
  about: 'virt-controller is killed with many guests present: time to its first write, memory over guests',
  defaults: { objects: 2000, perSecond: 0, seconds: 0 },
  async run(scene) {
    const { objects } = scene.options
    const counts = [...new Set([Math.ceil(objects / 20), Math.ceil(objects / 2), objects])]
    const levels = await fill(scene, 'vmi', counts)
    const { inCharge, toFirstPod } = await timeRestart(scene)
    return {
      rows: [
        ...memoryRows(levels, 'VMI'),
        { name: `start with ${objects} VMIs -> leads`, value: inCharge, unit: 's' },
        { name: `start with ${objects} VMIs -> first reconcile`, value: toFirstPod, unit: 's', goal: 2 },
      ],
      charts: [memoryChart(levels, 'VMI')],
      details: { levels },
    }
  },
}

/** A guest that is created while no controller runs gets its pod from the next one: that is its first reconcile. */
async function timeRestart({ lab, timeline }: Scene): Promise<{ inCharge: number; toFirstPod: number }> {
  await lab.kill('virt-controller')
  await lab.client.create(virtualMachineInstances, benchVmi(lab.namespace, 'waiting-0'))
  // The dead one's lease has to end first, and that wait is Kubernetes' and not what is measured.
  await lab.releaseLease()
  await delay(1000)
  const begun = performance.now()
  const started = lab.start('virt-controller').then(() => performance.now())
  await timeline.until('waiting-', 'pod', 1, 60_000)
  const toFirstPod = (performance.now() - begun) / 1000
  return { inCharge: ((await started) - begun) / 1000, toFirstPod }
}
