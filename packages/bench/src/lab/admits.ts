import { setTimeout as delay } from 'node:timers/promises'
import { virtualMachineInstances } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { benchVmi } from '../objects/vmi.ts'

/** Waits until the API server trusts virt-api: a dry-run creation passes both webhooks. */
export async function admits(client: KubeClient, namespace: string): Promise<void> {
  const end = performance.now() + 60_000
  for (;;) {
    try {
      const made = await client.create(virtualMachineInstances, benchVmi(namespace, 'probe'), { dryRun: true })
      if (made.metadata.finalizers !== undefined) return
    } catch (error) {
      if (performance.now() > end) throw error
    }
    await delay(100)
  }
}
