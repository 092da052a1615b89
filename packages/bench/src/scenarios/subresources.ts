import { virtualMachines } from '@kubevirt-ts/api'
import { percentilesOf } from '../measure/percentiles.ts'
import { benchVm } from '../objects/vmi.ts'
import type { Scenario, Scene } from './scenario.ts'

/** A stop and a start of a VM by virt-api, beside a patch of the same field at the API server. */
export const subresources: Scenario = {
  name: 'subresources',
  about: 'start and stop by virt-api, beside a direct patch of the VM',
  defaults: { objects: 200, perSecond: 0, seconds: 0 },
  async run(scene) {
    const { lab, options } = scene
    const vm = benchVm(lab.namespace, 'switched')
    await lab.client.create(virtualMachines, { ...vm, spec: { ...vm.spec, runStrategy: 'Halted' } })
    const direct: number[] = []
    const called: number[] = []
    // In turns, so that both meet the same machine.
    for (let turn = 0; turn < options.objects; turn++) {
      direct.push(await timed(() => patch(scene, turn)))
      called.push(await timed(() => switchOnOrOff(scene, turn)))
    }
    const [patched, served] = [percentilesOf(direct), percentilesOf(called)]
    const tell = ({ p95, p99 }: typeof patched) => `p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)} ms`
    return {
      rows: [
        { name: 'direct patch, p50', value: patched.p50, unit: 'ms', detail: tell(patched) },
        { name: 'start or stop by virt-api, p50', value: served.p50, unit: 'ms', detail: tell(served) },
        { name: 'start or stop by virt-api, p99', value: served.p99, unit: 'ms', goal: 50 },
        { name: 'added by virt-api, p50', value: served.p50 - patched.p50, unit: 'ms', goal: 10 },
      ],
    }
  },
}

async function timed(job: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await job()
  return performance.now() - started
}

const patch = ({ lab }: Scene, turn: number): Promise<unknown> =>
  lab.client.patch(
    virtualMachines,
    { namespace: lab.namespace, name: 'switched' },
    { metadata: { annotations: { turn: String(turn) } } },
    { type: 'merge' },
  )

/** Start in even turns, stop in odd ones: each is refused where the VM is already what it would make of it. */
async function switchOnOrOff({ lab }: Scene, turn: number): Promise<void> {
  const verb = turn % 2 === 0 ? 'start' : 'stop'
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${lab.namespace}/virtualmachines/switched/${verb}`
  const { status, body } = await lab.client.request({ method: 'PUT', path, body: {} })
  if (status >= 300) throw new Error(`${verb} was answered with ${status}: ${body.toString().slice(0, 300)}`)
}
