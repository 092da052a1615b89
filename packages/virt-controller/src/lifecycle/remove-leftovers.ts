import { configMaps, leases, nodes, pods, secrets } from '@kubevirt-ts/api'
import type { Node } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { remove } from './owned-resources.ts'
import { waitUntilNone } from './wait.ts'

export interface LeftoverOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly deadline: number
  readonly log: Logger
}

const components = 'kubevirt.io in (virt-api,virt-controller,virt-handler,stickyvm-scheduler)'
/** Of virt-controller's leader and of the scheduler's, where one was installed. */
const leaseNames = ['virt-controller', 'stickyvm-scheduler']
const ownKey = /(^|\.)kubevirt\.io\/|^kubevirt\.io\//

/** Removes what the services made themselves and no chart knows: certificates, leases, marks on nodes. */
export async function removeLeftovers(options: LeftoverOptions): Promise<void> {
  const { client, namespace, log, deadline } = options
  // Services that are still stopping would make it all anew.
  const running = async () => (await client.list(pods, { namespace, labelSelector: components })).items
  await waitUntilNone(running, (left) => log.info({ left: left.length }, 'waiting for the services to stop'), {
    deadline,
  })
  const labelSelector = 'kubevirt.io=certificates'
  for (const secret of (await client.list(secrets, { namespace, labelSelector })).items)
    await remove(client, secrets, secret)
  for (const map of (await client.list(configMaps, { namespace, labelSelector })).items)
    await remove(client, configMaps, map)
  for (const name of leaseNames) await remove(client, leases, { metadata: { namespace, name } })
  for (const node of (await client.list(nodes)).items) await unmark(client, node)
  log.info({ namespace }, 'certificates, leases and node labels removed')
}

async function unmark(client: KubeClient, { metadata }: Node): Promise<void> {
  const labels = cleared(metadata.labels)
  const annotations = cleared(metadata.annotations)
  if (Object.keys({ ...labels, ...annotations }).length === 0) return
  await client.patch(nodes, { name: metadata.name }, { metadata: { labels, annotations } }, { type: 'merge' })
}

/** A merge patch removes what is null. */
function cleared(map: Readonly<Record<string, string>> = {}): Record<string, null> {
  return Object.fromEntries(
    Object.keys(map)
      .filter((key) => ownKey.test(key))
      .map((key) => [key, null]),
  )
}
