import { expect, test } from '@jest/globals'
import type { Node, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { listerOf, silentLog } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { snapshotOf, type Snapshot } from '@kubevirt-ts/scheduling'
import { CycleState } from '../src/framework/cycle-state.ts'
import type { Framework } from '../src/framework/framework.ts'
import type { PluginServices } from '../src/framework/registry.ts'
import { WaitingPods } from '../src/framework/waiting-pods.ts'
import { plugins } from '../src/plugins/index.ts'
import { buildFrameworks } from '../src/profiles/build-frameworks.ts'
import { readConfiguration } from '../src/profiles/configuration.ts'
import { namespaces, randomCluster, storageClasses, type RandomCluster } from './agreement/random-cluster.ts'
import { Random } from './agreement/random.ts'

const known = new Map(plugins.map((factory) => [factory.name, { factory, isExternal: false }]))
const seed = Number(process.env['SEED'] ?? 7)
const clusters = 40
const podsEach = 8

type Owned = 'nobody' | 'no home' | 'required' | 'preferred' | 'off'
const kinds: readonly Owned[] = ['nobody', 'no home', 'required', 'preferred', 'off']

test(`StickyVM only ever takes nodes away, and none from pods without a VM (SEED=${seed})`, async () => {
  const taken: Record<Owned, number> = { nobody: 0, 'no home': 0, required: 0, preferred: 0, off: 0 }
  for (let index = 0; index < clusters; index++) {
    const random = new Random(seed + index)
    const cluster = randomCluster(seed + index, podsEach)
    const snapshot = snapshotOfCluster(cluster)
    for (const pod of cluster.candidates) {
      const kind = random.pick(kinds)
      const { metadata } = pod
      const owned = kind === 'nobody' ? pod : { ...pod, metadata: { ...metadata, ownerReferences: [instanceOwner] } }
      // Some homes do not exist.
      const home = random.pick([...cluster.nodes.map((node) => node.metadata.name), 'gone'])
      const without = await feasible(plain, owned, snapshot)
      const sticky = await feasible(stickyFramework(cluster, kind, home), owned, snapshot)

      expect(without).toEqual(expect.arrayContaining(sticky))
      if (kind === 'nobody' || kind === 'preferred' || kind === 'off') expect(sticky).toEqual(without)
      if (kind === 'required') expect(sticky).toEqual(without.filter((name) => name === home))
      if (sticky.length < without.length) taken[kind] += 1
    }
  }

  // That it takes some is what makes the rest worth saying.
  expect(taken.required).toBeGreaterThan(10)
  expect(taken['no home']).toBeGreaterThan(0)
})

const instanceOwner = ownerReference('VirtualMachineInstance')

function ownerReference(kind: string) {
  return { apiVersion: 'kubevirt.io/v1', kind, name: 'vm', uid: kind, controller: true }
}

function snapshotOfCluster({ nodes, placed, claims, volumes, csiNodes }: RandomCluster): Snapshot {
  return snapshotOf({
    nodes,
    pods: placed,
    claims,
    volumes,
    csiNodes,
    storageClasses,
    namespaces: Object.fromEntries(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])),
  })
}

function frameworkOf(services: object, enabled: readonly object[] = []): Framework {
  const text = JSON.stringify({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [{ schedulerName: 'real', plugins: { multiPoint: { enabled } } }],
  })
  const configuration = readConfiguration('property', text, [...known.keys()])
  const all = { waitingPods: new WaitingPods(), ...services } as unknown as PluginServices
  return buildFrameworks({ configuration, plugins: known, services: all, pluginTimeoutMs: 1000 }).get('real')!
}

const plain = frameworkOf({})

/** With the VM and its instance in both namespaces; it has a claim that is plugged in later. */
function stickyFramework({ nodes, claims }: RandomCluster, kind: Owned, home: string): Framework {
  const annotations = {
    ...(kind === 'no home' ? {} : { 'home.kubevirt-ts.io/node': home }),
    ...(kind === 'preferred' || kind === 'off' ? { 'home.kubevirt-ts.io/policy': kind } : {}),
  }
  const later = { claimName: claims[0]!.metadata.name, hotpluggable: true }
  const inBoth = <T>(object: (namespace: string) => object) => ['a', 'b'].map((namespace) => object(namespace) as T)
  const vms = inBoth<VirtualMachine>((namespace) => ({
    metadata: { name: 'vm', namespace, uid: 'VirtualMachine', annotations },
  }))
  const instances = inBoth<VirtualMachineInstance>((namespace) => ({
    metadata: {
      name: 'vm',
      namespace,
      uid: 'VirtualMachineInstance',
      ownerReferences: [ownerReference('VirtualMachine')],
    },
    spec: { volumes: [{ name: 'later', persistentVolumeClaim: later }] },
  }))
  const services = {
    client: fakeClient(),
    log: silentLog(),
    events: { event: () => undefined },
    nodes: listerOf<Node>([...nodes]),
    virtualMachines: listerOf(vms),
    instances: listerOf(instances),
  }
  return frameworkOf(services, [{ name: 'StickyVM', weight: 100 }])
}

async function feasible(framework: Framework, pod: RandomCluster['candidates'][number], snapshot: Snapshot) {
  const cycle = new CycleState(snapshot)
  const { status, nodeNames } = await framework.preFilter(pod, cycle)
  const names: string[] = []
  if (status.code !== 'Success') return names
  for (const node of snapshot.nodes) {
    if (nodeNames?.has(node.name) === false) continue
    if ((await framework.filter(pod, node, cycle)).code === 'Success') names.push(node.name)
  }
  return names
}
