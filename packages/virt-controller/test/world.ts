import {
  controllerRevisions,
  dataVolumes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  virtualMachineInstances,
  virtualMachines,
} from '@kubevirt-ts/api'
import type {
  KubeObject,
  KubeVirtConfiguration,
  Pod,
  ResourceType,
  VirtualMachine,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { Expectations, keyOf } from '@kubevirt-ts/controller'
import type { Lister } from '@kubevirt-ts/controller'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { isOnlyGuestMissing } from '@kubevirt-ts/vmispec'
import { renderLaunchPod, stateClaimOf } from '../src/render.ts'
import { launcherUidOf } from '../src/watch/attachments/of-launcher.ts'
import { OwnWrites } from '../src/watch/own-writes.ts'
import { syncedKeys } from '../src/watch/synced-metadata.ts'
import { vmUidOf } from '../src/watch/vm/controller.ts'
import { reconcile as reconcileVm } from '../src/watch/vm/reconcile.ts'
import { guestUidOf, vmiUidOf } from '../src/watch/vmi/controller.ts'
import { KubeletComplaints } from '../src/watch/vmi/kubelet-complaints.ts'
import { PodFates } from '../src/watch/vmi/pod-fates.ts'
import { stateOf } from '../src/watch/vmi/state-claim.ts'
import { reconcile as reconcileVmi } from '../src/watch/vmi/reconcile.ts'
import { renderContext } from './render-context.ts'

export interface World {
  readonly client: FakeClient
  readonly events: string[]
  /** Moves the clock on. */
  pass(milliseconds: number): void
  /** Lets both controllers work until nothing changes any more; problems that they report are collected. */
  settle(): Promise<void>
  readonly problems: unknown[]
  vm(): VirtualMachine | undefined
  vmi(): VirtualMachineInstance | undefined
  /** The launcher pod. */
  pod(): Pod | undefined
  /** Pods that hold volumes for a launcher. */
  attachments(): Pod[]
  /** Plays the kubelet: the pod's containers run, or have ended with an exit code. */
  kubelet(state: 'running' | { readonly exitCode: number }): Promise<void>
  /** Plays the node agent. */
  agent(phase: string): Promise<void>
  /** The pod leaves the API. */
  podGone(): Promise<void>
}

const node = 'node01'
const emulated = { developerConfiguration: { useEmulation: true } }

/** The write that reports a running guest makes its VMI ready where nothing else was missing. */
function serving(vmi: VirtualMachineInstance | undefined): object {
  if (vmi === undefined || !isOnlyGuestMissing(vmi)) return {}
  const ready = { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' }
  return { conditions: vmi.status?.conditions?.map((each) => (each.type === 'Ready' ? ready : each)) }
}

/** The guest's pod starts, then the guest. */
export async function untilRunning(world: World): Promise<void> {
  await world.settle()
  await world.kubelet('running')
  await world.settle()
  await world.agent('Running')
  await world.settle()
}

/** A cluster in memory in which the VM and VMI controllers work on fresh caches, and tests play all others. */
export function createWorld(...objects: readonly KubeObject[]): World {
  return createWorldWith({}, ...objects)
}

/** The same under other settings of the KubeVirt resource. */
export function createWorldWith(settings: KubeVirtConfiguration, ...objects: readonly KubeObject[]): World {
  const client = fakeClient(objects)
  const events: string[] = []
  const problems: unknown[] = []
  let time = Date.parse('2026-01-01T00:00:00Z')
  const now = (): Date => new Date(time)
  const lister = <T extends KubeObject>(
    resource: ResourceType<T>,
    indexers: Record<string, (object: T) => readonly string[]> = {},
  ): Lister<T> => ({
    get: (key) => client.objects(resource).find((object) => keyOf(object) === key),
    list: () => client.objects(resource),
    byIndex: (index, value) => client.objects(resource).filter((object) => indexers[index]?.(object).includes(value)),
  })
  const podsOf = (component: string): Pod[] =>
    client.objects(pods).filter(({ metadata }) => metadata.labels?.['kubevirt.io'] === component)
  const podLister = (component: string, indexers: Record<string, (object: Pod) => readonly string[]>): Lister<Pod> => ({
    get: (key) => podsOf(component).find((pod) => keyOf(pod) === key),
    list: () => podsOf(component),
    byIndex: (index, value) => podsOf(component).filter((pod) => indexers[index]?.(pod).includes(value)),
  })
  const shared = {
    client,
    vms: lister(virtualMachines),
    vmis: lister(virtualMachineInstances),
    events: {
      event: (object: KubeObject, _type: string, reason: string) => void events.push(`${object.kind} ${reason}`),
    },
    now,
  }
  const configuration = mergeConfiguration({ ...emulated, ...settings })
  const fates = new PodFates()
  // Caches are always fresh here, so nothing is ever waited for.
  const unbothered = {
    expectations: new Expectations({ now: () => Infinity }),
    ownWrites: new OwnWrites(() => Infinity),
    patience: { left: () => 0, forget: () => undefined },
    synced: syncedKeys({ labels: 'team', annotations: 'example.com/note' }),
  }
  const claims = lister(persistentVolumeClaims, { byStateOf: stateOf })
  const vmiDeps = {
    ...shared,
    ...unbothered,
    pods: podLister('virt-launcher', { byVmiUid: vmiUidOf }),
    attachments: podLister('hotplug-disk', { byLauncherUid: launcherUidOf, byGuestUid: guestUidOf }),
    claims,
    storageClasses: lister(storageClasses),
    dataVolumes: lister(dataVolumes),
    configuration: () => configuration,
    settings: { launcherImage: 'registry.example/virt-launcher:v1' },
    lowestFrequency: () => configuration.developerConfiguration?.minimumClusterTSCFrequency,
    fates,
    complaints: new KubeletComplaints(client, now),
    syncs: { count: () => undefined, forget: () => undefined },
    skipsBackupHooks: () => false,
    podWrites: new OwnWrites(() => Infinity),
    launcherImage: 'registry.example/virt-launcher:v1',
    render: (vmi: VirtualMachineInstance) =>
      renderLaunchPod(vmi, {
        ...renderContext({}),
        configuration,
        claim: (name) => claims.get(`default/${name}`),
        stateClaim: (name) => stateClaimOf(name, claims.list()),
      }),
  }
  const vmDeps = {
    ...shared,
    ...unbothered,
    revisions: lister(controllerRevisions, { byVmUid: vmUidOf }),
    claims,
    storageClasses: lister(storageClasses),
    dataVolumes: lister(dataVolumes),
    configuration: () => configuration,
    random: () => 0,
  }
  const pass = async (): Promise<void> => {
    const keys = new Set([...shared.vms.list(), ...shared.vmis.list()].map(keyOf))
    for (const key of keys) {
      await reconcileVm(key, vmDeps).catch((error: unknown) => problems.push(error))
      await reconcileVmi(key, vmiDeps).catch((error: unknown) => problems.push(error))
    }
  }
  const versions = (): string =>
    [virtualMachines, virtualMachineInstances, pods]
      .flatMap((resource) => client.objects<KubeObject>(resource))
      .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
      .join()
  const only = <T>(resource: ResourceType<T>): T | undefined => client.objects(resource)[0]
  const podReference = (): { namespace: string; name: string } => {
    const [pod] = podsOf('virt-launcher')
    if (pod === undefined) throw new Error('there is no pod')
    return { namespace: 'default', name: pod.metadata.name }
  }
  return {
    client,
    events,
    problems,
    pass: (milliseconds) => void (time += milliseconds),
    settle: async () => {
      for (let round = 0; round < 20; round++) {
        const before = versions()
        await pass()
        if (versions() === before) return
      }
      throw new Error('the controllers do not come to rest')
    },
    vm: () => only(virtualMachines),
    vmi: () => only(virtualMachineInstances),
    pod: () => podsOf('virt-launcher')[0],
    attachments: () => podsOf('hotplug-disk'),
    kubelet: async (state) => {
      const [pod] = podsOf('virt-launcher')
      const running = state === 'running'
      const containerStatuses = pod?.spec.containers.map(({ name, image }) => ({
        name,
        image,
        ready: running,
        state: running ? { running: {} } : { terminated: { exitCode: state.exitCode } },
      }))
      const phase = running ? 'Running' : state.exitCode === 0 ? 'Succeeded' : 'Failed'
      const others = (pod?.status?.conditions ?? []).filter(({ type }) => type !== 'Ready')
      const conditions = [...others, { type: 'Ready', status: running ? 'True' : 'False' }]
      const status = { phase, containerStatuses, conditions, qosClass: 'Burstable' }
      await client.patch(pods, podReference(), { spec: { nodeName: node } }, { type: 'merge' })
      await client.patch(pods, podReference(), { status }, { type: 'merge', subresource: 'status' })
    },
    agent: async (phase) => {
      const vmi = only(virtualMachineInstances)
      const stamps = [
        ...(vmi?.status?.phaseTransitionTimestamps ?? []),
        { phase, phaseTransitionTimestamp: '2026-01-01T00:00:00Z' },
      ]
      const reference = { namespace: 'default', name: vmi?.metadata.name ?? '' }
      const body = { status: { phase, phaseTransitionTimestamps: stamps, ...(phase === 'Running' && serving(vmi)) } }
      await client.patch(virtualMachineInstances, reference, body, { type: 'merge' })
    },
    podGone: async () => client.delete(pods, podReference()),
  }
}
