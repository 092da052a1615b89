import {
  deployments,
  virtualMachineInstanceMigrations,
  virtualMachineInstanceReplicaSets,
  virtualMachineInstances,
  virtualMachinePools,
  virtualMachines,
} from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'
import { objectsOf, release, remove } from './owned-resources.ts'
import { removeWebhooks } from './remove-registrations.ts'
import { waitUntilNone } from './wait.ts'

/** What makes guests before what it makes, so that nothing comes back. */
const kinds: readonly ResourceType<KubeObject>[] = [
  virtualMachinePools,
  virtualMachines,
  virtualMachineInstanceReplicaSets,
  virtualMachineInstanceMigrations,
  virtualMachineInstances,
]

export interface RemovalOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly deadline: number
  readonly log: Logger
}

/**
 * Deletes everything that makes guests and waits until each guest has ended and its object is gone. Where no
 * controller is left to finish that work, the finalizers are taken off here.
 */
export async function removeWorkloads(options: RemovalOptions): Promise<void> {
  const { client, namespace } = options
  // Without virt-api its webhooks refuse every change, deletions of finalizers among them.
  if (!(await isServing(client, namespace, 'virt-api'))) await removeWebhooks(options)
  for (const kind of kinds) await removeKind(kind, options)
}

async function removeKind(kind: ResourceType<KubeObject>, options: RemovalOptions): Promise<void> {
  const { client, namespace, log } = options
  const ask = async (): Promise<readonly KubeObject[]> => {
    const left = await objectsOf(client, kind)
    for (const object of left) await remove(client, kind, object)
    return left
  }
  const deadline = (await isInstalled(client, namespace)) ? options.deadline : Date.now()
  const report = (left: readonly KubeObject[]): void =>
    log.info(
      { kind: kind.kind, left: left.length, objects: names(left) },
      `waiting for ${left.length} ${kind.kind} to end`,
    )
  const left = await waitUntilNone(ask, report, { deadline })
  if (left.length > 0) await finish(kind, left, options)
}

/** What is left although the time is over: stuck where a controller runs, abandoned where none does. */
async function finish(
  kind: ResourceType<KubeObject>,
  left: readonly KubeObject[],
  options: RemovalOptions,
): Promise<void> {
  const { client, namespace, log } = options
  if (await isServing(client, namespace, 'virt-controller')) {
    const message = `${left.length} ${kind.kind} did not end in time: ${names(left)}; see their events, or give more --timeout`
    throw new VirtError('WorkloadsRemain', message)
  }
  log.warn({ kind: kind.kind, objects: names(left) }, 'no virt-controller runs, taking finalizers off')
  await removeWebhooks(options)
  for (const object of left) await release(client, kind, object)
}

function names(objects: readonly KubeObject[]): string {
  const shown = objects.slice(0, 10).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  return objects.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ')
}

async function isInstalled(client: KubeClient, namespace: string): Promise<boolean> {
  return (await deploymentsOf(client, namespace, 'virt-controller')).length > 0
}

async function isServing(client: KubeClient, namespace: string, component: string): Promise<boolean> {
  const found = await deploymentsOf(client, namespace, component)
  return found.some(({ status }) => (status?.availableReplicas ?? 0) > 0)
}

async function deploymentsOf(client: KubeClient, namespace: string, component: string) {
  return (await client.list(deployments, { namespace, labelSelector: `kubevirt.io=${component}` })).items
}
