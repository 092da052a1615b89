import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { virtualMachineInstances, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { createClient, type KubeClient } from '@kubevirt-ts/kubecli'
import { containerDiskVmi, ensureNamespace, remove, timeUntil } from '../objects/real-guests.ts'
import { listProcesses } from '../processes.ts'
import { median, spread, type Bench, type Row } from '../row.ts'
import { isRunning } from './vmi-start.ts'

const name = 'console'
const mib = 256
const goal = 100

/**
 * How fast one console is: from the socket of a guest's device, which a program plays that never waits, through the real
 * virt-handler, virt-api and API server to a client, beside one TLS server alone. In turns, so that both meet the same
 * machine.
 */
export async function consoleRate(bench: Bench): Promise<readonly Row[]> {
  await ensureNamespace(bench)
  const guest = containerDiskVmi(bench.namespace, name)
  await timeUntil<VirtualMachineInstance>(bench, virtualMachineInstances, guest, isRunning)
  const socket = await deviceSocket(bench)
  await rename(socket, `${socket}-of-qemu`)
  const device = program('device.ts', [socket, String(mib)])
  const bare = program('bare.ts', [socket])
  try {
    await once(device, 'message')
    const [port] = (await once(bare, 'message')) as [number]
    return await inTurns(bench, clientOf(port))
  } finally {
    device.disconnect()
    bare.disconnect()
    await remove(bench, virtualMachineInstances, name)
  }
}

const program = (file: string, args: readonly string[]): ChildProcess =>
  fork(join(import.meta.dirname, '..', 'stream', file), args, { execArgv: ['--no-warnings'] })

const clientOf = (port: number): KubeClient =>
  createClient(
    {
      server: `https://127.0.0.1:${port}`,
      namespace: '',
      tls: { rejectUnauthorized: false },
      authorization: () => Promise.resolve(undefined),
    },
    { userAgent: 'kubevirt-ts-bench' },
  )

/** The guest's serial console as QEMU listens on it, seen through the mount namespace of QEMU's process. */
async function deviceSocket({ client, namespace }: Bench): Promise<string> {
  const { metadata } = await client.get(virtualMachineInstances, { namespace, name })
  const qemu = (await listProcesses()).find(
    (process) => process.name.startsWith('qemu-system') && process.command.includes(`guest=${namespace}_${name},`),
  )
  if (!qemu) throw new Error(`no QEMU of ${namespace}/${name} runs on this machine`)
  // Not by /var/run: that is a link, which would be followed on this machine.
  return `/proc/${qemu.pid}/root/run/kubevirt-private/${metadata.uid}/virt-serial0`
}

async function inTurns({ client, namespace, runs }: Bench, bare: KubeClient): Promise<Row[]> {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/console`
  const alone: number[] = []
  const whole: number[] = []
  for (let run = 0; run < runs; run++) {
    alone.push(await rate(bare, '/'))
    whole.push(await rate(client, path))
  }
  await bare.close()
  return [
    { name: 'one TLS server alone', value: median(alone), unit: 'MB/s', detail: spread(alone, 'MB/s') },
    {
      name: 'console through virt-handler, virt-api, API server',
      value: median(whole),
      unit: 'MB/s',
      atLeast: goal,
      detail: spread(whole, 'MB/s'),
    },
  ]
}

/** Megabytes in a second, from the first to the last. */
async function rate(client: KubeClient, path: string): Promise<number> {
  const stream = await client.upgrade(path, { paused: true })
  let bytes = 0
  stream.on('message', (data: Buffer) => (bytes += data.length))
  stream.on('error', () => undefined)
  const started = performance.now()
  stream.resume()
  await once(stream, 'close')
  if (bytes < mib * 1024 * 1024) throw new Error(`the stream ended after ${bytes} of ${mib} MiB`)
  return bytes / 1000 / (performance.now() - started)
}
