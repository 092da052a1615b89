import { setTimeout as delay } from 'node:timers/promises'
import { virtualMachines } from '@kubevirt-ts/api'
import { percentilesOf } from '../measure/percentiles.ts'
import { benchVm } from '../objects/vmi.ts'
import type { Row } from '../row.ts'
import type { Scenario, Scene } from './scenario.ts'

const name = 'switched'

/** A stop and a start of a VM by virt-api, beside a patch of the same VM at the API server. */
export const subresources: Scenario = {
  name: 'subresources',
  about: 'start and stop by virt-api, one after the other and as dry runs at a pace, beside a direct patch of the VM',
  defaults: { objects: 200, perSecond: 100, seconds: 10 },
  async run(scene) {
    const { lab, options } = scene
    const vm = benchVm(lab.namespace, name)
    await lab.client.create(virtualMachines, { ...vm, spec: { ...vm.spec, runStrategy: 'Halted' } })
    const direct: number[] = []
    const called: number[] = []
    // In turns, so that both meet the same machine.
    for (let turn = 0; turn < options.objects; turn++) {
      direct.push(await timed(() => patch(scene, turn, false)))
      called.push(await timed(() => switchOnOrOff(scene, turn)))
    }
    const [patched, served] = [percentilesOf(direct), percentilesOf(called)]
    return {
      rows: [
        { name: 'direct patch, p50', value: patched.p50, unit: 'ms', detail: tell(patched) },
        { name: 'start or stop by virt-api, p50', value: served.p50, unit: 'ms', detail: tell(served) },
        { name: 'start or stop by virt-api, p99', value: served.p99, unit: 'ms', goal: 50 },
        { name: 'added by virt-api, p50', value: served.p50 - patched.p50, unit: 'ms', goal: 10 },
        ...(await dryRuns(scene)),
      ],
    }
  },
}

const tell = ({ p95, p99 }: { readonly p95: number; readonly p99: number }) =>
  `p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)} ms`

/** Dry runs at a pace, whether earlier ones were answered or not; every second request is the direct patch. */
async function dryRuns(scene: Scene): Promise<Row[]> {
  const { perSecond, seconds } = scene.options
  const direct: Promise<number>[] = []
  const called: Promise<number>[] = []
  const started = performance.now()
  for (let turn = 0; turn < perSecond * seconds; turn++) {
    const due = started + ((turn / perSecond) * 1000 - performance.now())
    if (due > 0) await delay(due)
    direct.push(timed(() => patch(scene, turn, true)))
    called.push(timed(() => call(scene, 'start', { dryRun: ['All'] })))
  }
  const [patched, served] = [percentilesOf(await Promise.all(direct)), percentilesOf(await Promise.all(called))]
  const at = `${perSecond}/s`
  return [
    {
      name: `direct patch, dry run at ${at}, p99`,
      value: patched.p99,
      unit: 'ms',
      detail: `p50 ${patched.p50.toFixed(1)} ms`,
    },
    {
      name: `start, dry run at ${at}, p99`,
      value: served.p99,
      unit: 'ms',
      goal: 50,
      detail: `p50 ${served.p50.toFixed(1)} ms`,
    },
  ]
}

async function timed(job: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await job()
  return performance.now() - started
}

const patch = ({ lab }: Scene, turn: number, dryRun: boolean): Promise<unknown> =>
  lab.client.patch(
    virtualMachines,
    { namespace: lab.namespace, name },
    { metadata: { annotations: { turn: String(turn) } } },
    { type: 'merge', dryRun },
  )

/** Start in even turns, stop in odd ones: each is refused where the VM is already what it would make of it. */
const switchOnOrOff = (scene: Scene, turn: number): Promise<void> => call(scene, turn % 2 === 0 ? 'start' : 'stop', {})

async function call({ lab }: Scene, verb: string, body: object): Promise<void> {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${lab.namespace}/virtualmachines/${name}/${verb}`
  const { status, body: answer } = await lab.client.request({ method: 'PUT', path, body })
  if (status >= 300) throw new Error(`${verb} was answered with ${status}: ${answer.toString().slice(0, 300)}`)
}
