import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kubeVirts, namespaces, nodes } from '@kubevirt-ts/api'
import type { ResourceType } from '@kubevirt-ts/api'
import { isAlreadyExists } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { end, freePort } from './control-plane.ts'
import type { ControlPlane } from './control-plane.ts'
import { startProxy } from './faulty-proxy.ts'
import type { FaultyProxy } from './faulty-proxy.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** One virt-controller in a process of its own, with a proxy of its own to the API server. */
export interface Controller extends AsyncDisposable {
  readonly name: string
  readonly proxy: FaultyProxy
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void
  /** Resolves when the process that runs now has ended; another one of its name is started then. */
  readonly ended: () => Promise<unknown>
}

/** What the product and its guests need to be there. */
export async function prepare(client: KubeClient): Promise<void> {
  const make = async <T>(resource: ResourceType<T>, object: T): Promise<void> => {
    await client.create(resource, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }
  await make(namespaces, { metadata: { name: 'kubevirt' } })
  await make(nodes, {
    metadata: { name: 'node01', annotations: {}, labels: { 'kubevirt.io/schedulable': 'true' } },
    status: { allocatable: { cpu: '64', memory: '256Gi', pods: '5000' } },
  })
  const developerConfiguration = { useEmulation: true, featureGates: ['DirectContainerDisk'] }
  await make(kubeVirts, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: 'kubevirt' },
    spec: { configuration: { developerConfiguration } },
  })
}

/** As in a pod: one that ends is started again. */
export async function startController(plane: ControlPlane, name: string, random: () => number): Promise<Controller> {
  const proxy = await startProxy(plane, random)
  const kubeconfig = join(plane.folder, `${name}.kubeconfig`)
  await writeFile(kubeconfig, kubeconfigOf(proxy.url))
  const flags = [
    '--no-warnings',
    main,
    `--kubeconfig=${kubeconfig}`,
    '--listen=127.0.0.1',
    `--port=${await freePort()}`,
    `--hostname=${name}`,
    '--launcher-image=registry.example/virt-launcher:v1',
  ]
  let isOver = false
  let process: ChildProcess
  const start = (): void => {
    process = plane.start(globalThis.process.execPath, name, flags)
    process.once('exit', () => void (isOver || start()))
  }
  start()
  return {
    name,
    proxy,
    signal: (signal) => void process.kill(signal),
    ended: () => once(process, 'exit'),
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await end(process)
      await proxy[Symbol.asyncDispose]()
    },
  }
}

export function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server } }],
    users: [{ name: 'x', user: {} }],
  })
}
