import {
  pods,
  virtualMachines,
  type KubeObject,
  type Node,
  type Pod,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { ApiError } from '@kubevirt-ts/kubecli'
import { fakeClient, type FakeClient } from '@kubevirt-ts/kubecli/testing'
import { createRegistry } from '@kubevirt-ts/service'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PluginFactory } from '../../src/framework/registry.ts'
import { createInformers, startInformers } from '../../src/loop/informers.ts'
import { createLoop } from '../../src/loop/run-loop.ts'
import { plugins } from '../../src/plugins/index.ts'
import { readConfiguration } from '../../src/profiles/configuration.ts'

/** As if given by --plugin: what it does depends on the pod's name. */
const unruly: PluginFactory = {
  name: 'Unruly',
  create: () => ({
    name: 'Unruly',
    filter: ({ metadata: { name } }) => {
      while (name === 'loops') continue
      if (name === 'throws') throw new Error('boom')
      return name === 'hangs' ? new Promise(() => undefined) : { code: 'Success', reasons: [] }
    },
  }),
}

const known = new Map(
  [...plugins, unruly].map((factory) => [factory.name, { factory, isExternal: factory === unruly }]),
)

const configuration = (extra = '') =>
  readConfiguration(
    'ksc.yaml',
    `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podInitialBackoffSeconds: 1
profiles:
- schedulerName: stickyvm
  plugins: { multiPoint: { enabled: [{ name: StickyVM, weight: 100 }, { name: Unruly }] } }
${extra}`,
    [...known.keys()],
  )

interface Told {
  readonly name: string
  readonly reason: string
  readonly message: string
}

/** A scheduler on a cluster in memory, which binds as the API server does. Absent kinds are told by their plurals. */
export async function startScheduler(objects: readonly KubeObject[], extra = '', absent: readonly string[] = []) {
  const client = fakeClient(objects)
  client.intercept(({ resource }) => {
    if (absent.includes(resource)) throw new ApiError({ code: 404, reason: 'NotFound' }, { request: resource })
  })
  client.intercept(async (call) => {
    if (call.subresource !== 'binding') return
    const { target } = call.body as { target: { name: string } }
    const reference = { name: call.name!, namespace: call.namespace! }
    await client.patch(pods, reference, { spec: { nodeName: target.name } }, { type: 'merge' })
  })
  const told: Told[] = []
  const log = silentLog()
  const informers = createInformers(client, log)
  const stop = new AbortController()
  const loop = createLoop({
    client,
    configuration: configuration(extra),
    plugins: known,
    // So long that no busy machine makes a plugin look as if it hung.
    pluginTimeoutMs: 1_000,
    informers,
    log,
    registry: createRegistry('test'),
    events: {
      event: ({ metadata: { name } }, _type, reason, message) => told.push({ name, reason, message }),
    },
  })
  await startInformers(informers, { signal: stop.signal, withVirtualMachines: true })
  const running = loop.run(stop.signal)
  return {
    client,
    told,
    nodeOf: (name: string) => client.objects(pods).find(({ metadata }) => metadata.name === name)?.spec.nodeName,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

/** Waits for what the scheduler does by itself. */
export async function until(what: () => boolean): Promise<void> {
  const end = Date.now() + 50_000
  while (!what()) {
    if (Date.now() > end) throw new Error('it did not happen in time')
    await sleep(5)
  }
}

export const node = (name: string, more: Partial<Node['spec']> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: more,
  status: {
    allocatable: { cpu: '4', memory: '8Gi', pods: '10' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
})

export function pod(name: string, { cpu = '1', ...more }: Partial<Pod['spec']> & { cpu?: string } = {}): Pod {
  const containers = [{ name: 'c', resources: { requests: { cpu } } }]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'a', uid: name },
    spec: { schedulerName: 'stickyvm', containers, ...more },
  }
}

function controlledBy(kind: string, name: string) {
  return [{ apiVersion: 'kubevirt.io/v1', kind, name, uid: `${kind} ${name}`, controller: true }]
}

/** A VM with an instance and the instance's pod. */
export function machine(name: string, annotations: Record<string, string> = {}): KubeObject[] {
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'a', uid: `VirtualMachine ${name}`, annotations },
    spec: { template: {} },
  } as unknown as VirtualMachine
  return [vm, ...guestOf(name)]
}

function guestOf(name: string): KubeObject[] {
  const instance = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name,
      namespace: 'a',
      uid: `VirtualMachineInstance ${name}`,
      ownerReferences: controlledBy('VirtualMachine', name),
    },
    spec: {},
  } as unknown as VirtualMachineInstance
  const launcher = pod(`virt-launcher-${name}`)
  launcher.metadata.ownerReferences = controlledBy('VirtualMachineInstance', name)
  return [instance, launcher]
}

export function homeOf(client: FakeClient, name: string): string | undefined {
  const vm = client.objects(virtualMachines).find(({ metadata }) => metadata.name === name)
  return vm?.metadata.annotations?.['home.kubevirt-ts.io/node']
}
