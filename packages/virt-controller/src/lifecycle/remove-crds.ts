import { customResourceDefinitions } from '@kubevirt-ts/api'
import type { CustomResourceDefinition } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'
import { objectsOf, ownedDefinitions, release, remove, resourceOf } from './owned-resources.ts'
import { waitUntilNone } from './wait.ts'

/** Deletes the product's definitions and with them every object of theirs; nobody is left to serve finalizers. */
export async function removeCrds(options: { client: KubeClient; deadline: number; log: Logger }): Promise<void> {
  const { client, deadline, log } = options
  const ask = async (): Promise<readonly CustomResourceDefinition[]> => {
    const left = await ownedDefinitions(client)
    for (const crd of left) {
      await remove(client, customResourceDefinitions, crd)
      for (const object of await objectsOf(client, resourceOf(crd))) await release(client, resourceOf(crd), object)
    }
    return left
  }
  const report = (left: readonly unknown[]): void =>
    log.info({ left: left.length }, 'waiting for the definitions to go')
  const left = await waitUntilNone(ask, report, { deadline })
  if (left.length === 0) return
  const names = left.map(({ metadata }) => metadata.name).join(', ')
  throw new VirtError('DefinitionsRemain', `these definitions are still being deleted: ${names}; run the command again`)
}
