import { setTimeout as delay } from 'node:timers/promises'
import { configMaps } from '@kubevirt-ts/api'
import { isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'

const name = 'owned-by-nobody'

/**
 * Waits until the garbage collector knows VMIs, which it does up to half a minute after their definition came. Until then it asks
 * for the VMI of every pod, which no cluster does that is older than that.
 */
export async function collects(client: KubeClient, namespace: string): Promise<void> {
  const owner = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    name,
    uid: '00000000-0000-4000-8000-000000000000',
  }
  await client.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, ownerReferences: [owner] },
  })
  const isThere = () =>
    client.get(configMaps, { namespace, name }).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false
        throw error
      },
    )
  while (await isThere()) await delay(200)
}
