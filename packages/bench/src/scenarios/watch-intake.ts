import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { virtualMachineInstances } from '@kubevirt-ts/api'
import { toolPath } from '@kubevirt-ts/dev-cluster'
import { usageOf } from '../measure/usage.ts'
import { fill } from '../measure/fill.ts'
import type { Row } from '../row.ts'
import type { Scenario, Scene } from './scenario.ts'

/** How fast a service takes in a watch, beside kubectl, which stands for a client in Go: both read the same events. */
export const watchIntake: Scenario = {
  name: 'watch-intake',
  about: 'events per second that an informer takes in, beside kubectl on the same stream',
  defaults: { objects: 300, perSecond: 0, seconds: 0 },
  async run(scene) {
    const { options } = scene
    await fill(scene, 'vmi', [options.objects])
    const ours = await intake(scene, [
      process.execPath,
      '--no-warnings',
      join(import.meta.dirname, '..', 'intake', 'main.ts'),
    ])
    const kubectl = await intake(scene, [
      toolPath('kubectl'),
      'get',
      'vmi',
      '-n',
      scene.lab.namespace,
      '-w',
      '-o',
      'json',
      '--kubeconfig',
      scene.lab.kubeconfig,
    ])
    return {
      rows: [
        ...rowsOf('informer', ours),
        ...rowsOf('kubectl', kubectl),
        { name: 'informer / kubectl: CPU for each event', value: ours.cpuMs / kubectl.cpuMs, unit: 'x', goal: 1 },
      ],
    }
  },
}

type Intake = { readonly cpuMs: number; readonly rssMiB: number }

const rowsOf = (name: string, { cpuMs, rssMiB }: Intake): Row[] => [
  { name: `${name}: CPU for each event`, value: cpuMs, unit: 'ms' },
  { name: `${name}: RSS`, value: rssMiB, unit: 'MiB' },
]

const rounds = 10

/** Starts a reader, lets every guest change a few times, and reads what that cost it. */
async function intake(scene: Scene, argv: readonly string[]): Promise<Intake> {
  const { lab, options } = scene
  const [program = '', ...args] = argv
  const reader = spawn(program, [...args, ...(program === process.execPath ? [lab.kubeconfig] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await quiet(reader.stdout)
    const before = await usageOf(reader.pid!)
    for (let round = 0; round < rounds; round++) await touchAll(scene, round)
    await quiet(reader.stdout)
    const after = await usageOf(reader.pid!)
    const events = rounds * options.objects
    return { cpuMs: ((after.cpuSeconds - before.cpuSeconds) * 1000) / events, rssMiB: after.rssMiB }
  } finally {
    reader.kill('SIGKILL')
    await once(reader, 'exit')
  }
}

async function touchAll({ lab, options }: Scene, round: number): Promise<void> {
  const body = { metadata: { annotations: { touched: `${Date.now()}-${round}` } } }
  const names = Array.from({ length: options.objects }, (_, index) => `fill${options.objects}-${index}`)
  const touch = (name: string) =>
    lab.client.patch(virtualMachineInstances, { namespace: lab.namespace, name }, body, { type: 'merge' })
  await Promise.all(names.map(touch))
}

const quietMs = 1500

/** Resolves when a reader has written nothing for a while: it is through. */
async function quiet(stream: NodeJS.ReadableStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer = setTimeout(resolve, 5 * quietMs)
  const onData = () => {
    clearTimeout(timer)
    timer = setTimeout(resolve, quietMs)
  }
  stream.on('data', onData)
  await promise
  stream.off('data', onData)
  stream.resume()
}
