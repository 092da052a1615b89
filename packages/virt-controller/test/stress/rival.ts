import { setTimeout as sleep } from 'node:timers/promises'
import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { pick } from './model.ts'

const kinds: readonly ResourceType<KubeObject>[] = [
  virtualMachines as ResourceType<KubeObject>,
  virtualMachineInstances as ResourceType<KubeObject>,
  pods as unknown as ResourceType<KubeObject>,
]

/** Writes on objects all the time, so that whoever read one before loses the race. */
export function rival(client: KubeClient, random: () => number, signal: AbortSignal): void {
  const write = async (): Promise<void> => {
    const kind = pick(kinds, random)
    const { items } = await client.list(kind, { namespace: 'default' })
    for (const { metadata } of items) {
      const body = { metadata: { annotations: { 'example.com/rival': String(random()) } } }
      await client.patch(kind, { namespace: metadata.namespace, name: metadata.name }, body, { type: 'merge' })
    }
  }
  void (async () => {
    while (!signal.aborted) {
      await write().catch(() => undefined)
      await sleep(20)
    }
  })()
}
