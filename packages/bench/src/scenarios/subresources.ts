import { setTimeout as delay } from 'node:timers/promises'
import { virtualMachines } from '@kubevirt-ts/api'
import { percentilesOf } from '../measure/percentiles.ts'
import { cpuBetween, usages } from '../measure/usage.ts'
import { benchVm } from '../objects/vmi.ts'
import type { Row } from '../row.ts'
import type { Scenario, Scene } from './scenario.ts'

/** A VM that can be started, and one that can be stopped. */
const vms = { halted: 'Halted', switchedOn: 'Always' } as const

/** How often patches and calls at a pace take turns. */
const rounds = 2

/** A stop and a start of a VM by virt-api, beside a patch of a VM at the API server; all of them dry runs. */
export const subresources: Scenario = {
  name: 'subresources',
  about: 'dry runs of start and stop, one after the other and at a pace, beside a direct patch of the VM',
  defaults: { objects: 200, perSecond: 100, seconds: 10 },
  async run(scene) {
    const { lab, options } = scene
    for (const [name, runStrategy] of Object.entries(vms)) {
      const vm = benchVm(lab.namespace, name.toLowerCase())
      await lab.client.create(virtualMachines, { ...vm, spec: { ...vm.spec, runStrategy } })
    }
    await untilServed(scene)
    const direct: number[] = []
    const called: number[] = []
    // In turns, so that both meet the same machine.
    for (let turn = 0; turn < options.objects; turn++) {
      direct.push(await timed(() => patch(scene, turn)))
      called.push(await timed(() => startOrStop(scene, turn)))
    }
    const [patched, served] = [percentilesOf(direct), percentilesOf(called)]
    return {
      rows: [
        { name: 'direct patch, p50', value: patched.p50, unit: 'ms', detail: tell(patched) },
        { name: 'start or stop by virt-api, p50', value: served.p50, unit: 'ms', detail: tell(served) },
        { name: 'added by virt-api, p50', value: served.p50 - patched.p50, unit: 'ms', goal: 10 },
        ...(await atPace(scene)),
      ],
    }
  },
}

/** Waits until the API server passes requests on to virt-api. */
async function untilServed({ lab }: Scene): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    const { status } = await lab.client.request({ method: 'GET', path: '/apis/subresources.kubevirt.io/v1/version' })
    if (status < 300) return
    if (performance.now() > end) throw new Error(`virt-api is not served by the API server: ${status}`)
    await delay(100)
  }
}

const tell = ({ p50, p95, p99 }: ReturnType<typeof percentilesOf>) =>
  `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)} ms`

/** Direct patches and calls take turns at a pace, so that both meet the same machine, and neither the load of the other. */
async function atPace(scene: Scene): Promise<Row[]> {
  const { lab, options } = scene
  const { perSecond } = options
  const direct: number[] = []
  const called: number[] = []
  const cpu = { 'kube-apiserver': 0, 'virt-api': 0 }
  for (let round = 0; round < rounds; round++) {
    direct.push(...(await paced(options, (turn) => patch(scene, turn))))
    const before = await usages(lab.children)
    called.push(...(await paced(options, (turn) => startOrStop(scene, turn))))
    const used = cpuBetween(before, await usages(lab.children))
    cpu['virt-api'] += used['virt-api'] ?? NaN
    cpu['kube-apiserver'] += used['kube-apiserver'] ?? NaN
  }
  const [patched, served] = [percentilesOf(direct), percentilesOf(called)]
  const at = `at ${perSecond}/s, p99`
  const each = (program: keyof typeof cpu) => `${((cpu[program] * 1000) / called.length).toFixed(1)} ms`
  const spent = `CPU each: virt-api ${each('virt-api')}, API server ${each('kube-apiserver')}`
  return [
    { name: `direct patch ${at}`, value: patched.p99, unit: 'ms', detail: tell(patched) },
    {
      name: `start or stop by virt-api ${at}`,
      value: served.p99,
      unit: 'ms',
      goal: 50,
      detail: `${tell(served)}; ${spent}`,
    },
  ]
}

/** So many in a second, whether earlier ones were answered or not. */
async function paced(
  { perSecond, seconds }: Scene['options'],
  job: (turn: number) => Promise<unknown>,
): Promise<number[]> {
  const answered: Promise<number>[] = []
  const started = performance.now()
  for (let turn = 0; turn < perSecond * seconds; turn++) {
    const due = started + (turn / perSecond) * 1000 - performance.now()
    if (due > 0) await delay(due)
    answered.push(timed(() => job(turn)))
  }
  return Promise.all(answered)
}

async function timed(job: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await job()
  return performance.now() - started
}

const patch = ({ lab }: Scene, turn: number): Promise<unknown> =>
  lab.client.patch(
    virtualMachines,
    { namespace: lab.namespace, name: 'halted' },
    { metadata: { annotations: { turn: String(turn) } } },
    { type: 'merge', dryRun: true },
  )

async function startOrStop({ lab }: Scene, turn: number): Promise<void> {
  const [name, verb] = turn % 2 === 0 ? ['halted', 'start'] : ['switchedon', 'stop']
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${lab.namespace}/virtualmachines/${name}/${verb}`
  const { status, body } = await lab.client.request({ method: 'PUT', path, body: { dryRun: ['All'] } })
  if (status >= 300) throw new Error(`${verb} was answered with ${status}: ${body.toString().slice(0, 300)}`)
}
