import {
  events,
  label,
  nodes,
  persistentVolumeClaims,
  pods,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
  virtualMachines,
} from '@kubevirt-ts/api'
import type {
  Event,
  KubeObject,
  PersistentVolumeClaim,
  Pod,
  ResourceType,
  VirtualMachineInstance,
} from '@kubevirt-ts/api'
import { isForbidden, isNotFound } from '@kubevirt-ts/kubecli'
import { fetchKubeVirt } from '../client/kubevirt.ts'
import { CommandError } from '../command.ts'
import type { Cluster } from '../command.ts'
import { timeOf } from './seen.ts'
import type { Seen } from './seen.ts'

const dataVolumes: ResourceType<KubeObject> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datavolumes',
  kind: 'DataVolume',
  namespaced: true,
}

/** Looks at everything on the way from a VM to its guest. Throws when there is neither VM nor VMI of that name. */
export async function gather(cluster: Cluster, name: string, now: Date): Promise<Seen> {
  const { client, namespace } = cluster
  const look = lookout()
  const inNamespace = { namespace }
  const [vm, vmi, launchers = [], migrations = [], warnings = []] = await Promise.all([
    look.one('virtual machines', client.get(virtualMachines, { namespace, name })),
    look.one('virtual machine instances', client.get(virtualMachineInstances, { namespace, name })),
    look.all('pods', client.list(pods, { ...inNamespace, labelSelector: `${label.app}=virt-launcher` })),
    look.all(
      'migrations',
      client.list(virtualMachineInstanceMigrations, { ...inNamespace, labelSelector: `${label.vmiName}=${name}` }),
    ),
    look.all('events', client.list(events, { ...inNamespace, fieldSelector: 'type=Warning' })),
  ])
  if (!vm && !vmi) {
    throw new CommandError(
      look.hidden.length > 0
        ? `you may not see ${look.hidden.join(', ')} in namespace ${namespace}`
        : `there is no virtual machine ${name} in namespace ${namespace}; kubectl get vm -A shows where one is`,
    )
  }
  const pod = launcherOf(launchers, vmi)
  const nodeName = vmi?.status?.nodeName ?? pod?.spec?.nodeName
  const volumes = (vmi ?? vm?.spec.template)?.spec?.volumes ?? []
  const [node, handler, claims, imports] = await Promise.all([
    nodeName ? look.one('nodes', client.get(nodes, { name: nodeName })) : undefined,
    nodeName ? handlerOn(cluster, nodeName) : undefined,
    named(
      volumes.flatMap(({ persistentVolumeClaim: claim, dataVolume }) => claim?.claimName ?? dataVolume?.name ?? []),
      (claim) => look.one('claims', client.get(persistentVolumeClaims, { namespace, name: claim })),
    ),
    named(
      volumes.flatMap(({ dataVolume }) => dataVolume?.name ?? []),
      (volume) => look.one('DataVolumes', client.get(dataVolumes, { namespace, name: volume })),
    ),
  ])
  const isConcerned = ({ involvedObject }: Event) =>
    involvedObject?.kind === 'PersistentVolumeClaim'
      ? claims.has(involvedObject.name ?? '')
      : [name, pod?.metadata.name].includes(involvedObject?.name)
  return {
    name,
    namespace,
    ...(vm && { vm }),
    ...(vmi && { vmi }),
    ...(pod && { pod }),
    ...(node && { node }),
    ...(handler && { handler }),
    migrations: migrations.toSorted(newestFirst),
    claims: look.hidden.includes('claims') ? new Map() : (claims as Map<string, PersistentVolumeClaim | undefined>),
    dataVolumes: new Map([...imports].flatMap(([key, value]) => (value ? [[key, value] as const] : []))),
    warnings: warnings.filter(isConcerned).toSorted(latestFirst),
    hidden: look.hidden,
    now,
  }
}

/** Asks for what the user may see, and remembers what not. */
function lookout() {
  const hidden: string[] = []
  const guarded = async <T>(what: string, answer: Promise<T>): Promise<T | undefined> => {
    try {
      return await answer
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (!isForbidden(error)) throw error
      if (!hidden.includes(what)) hidden.push(what)
      return undefined
    }
  }
  const all = async <T>(what: string, answer: Promise<{ readonly items: T[] }>) => (await guarded(what, answer))?.items
  return { hidden, one: guarded, all }
}

async function named<T>(names: readonly string[], ask: (name: string) => Promise<T>): Promise<Map<string, T>> {
  return new Map(await Promise.all(names.map(async (name) => [name, await ask(name)] as const)))
}

const newestFirst = (a: KubeObject, b: KubeObject) =>
  (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '')

const latestFirst = (a: Event, b: Event) => (timeOf(b) ?? '').localeCompare(timeOf(a) ?? '')

/** The launcher on the guest's node; before it has one, the newest that is not a migration's target. */
function launcherOf(launchers: readonly Pod[], vmi: VirtualMachineInstance | undefined): Pod | undefined {
  const own = launchers
    .filter(({ metadata }) => vmi?.metadata.uid && metadata.labels?.[label.createdBy] === vmi.metadata.uid)
    .toSorted(newestFirst)
  const node = vmi?.status?.nodeName
  return (
    own.find(({ spec, status }) => node && spec?.nodeName === node && status?.phase === 'Running') ??
    own.find(({ metadata }) => !metadata.labels?.[label.migrationJobUid]) ??
    own[0]
  )
}

/** Few users may see the pods of KubeVirt; that is no reason to say anything. */
async function handlerOn(cluster: Cluster, node: string): Promise<Pod | undefined> {
  try {
    const { metadata } = await fetchKubeVirt(cluster)
    const { items } = await cluster.client.list(pods, {
      namespace: metadata.namespace ?? 'kubevirt',
      labelSelector: `${label.app}=virt-handler`,
      fieldSelector: `spec.nodeName=${node}`,
    })
    return items[0]
  } catch {
    return undefined
  }
}
