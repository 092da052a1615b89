import { setTimeout as delay } from 'node:timers/promises'
import { annotation } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { nodeNames } from '../lab/fake-nodes.ts'
import { asHandlerOf } from './write-as.ts'

const periodMs = 60_000

/** Each node's sign of life once a minute, spread over the minute. A node that is gone is left out. */
export async function beatHearts(client: KubeClient, count: number): Promise<never> {
  for (;;) {
    for (const name of nodeNames(count)) {
      await delay(periodMs / count)
      const annotations = { [annotation.heartbeat]: new Date().toISOString() }
      await client.request({
        method: 'PATCH',
        path: `/api/v1/nodes/${name}`,
        headers: { ...asHandlerOf(name), 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ metadata: { annotations } }),
      })
    }
    if (count === 0) await delay(periodMs)
  }
}
