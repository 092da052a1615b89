import { setTimeout as delay } from 'node:timers/promises'
import { pods, virtualMachineInstances, virtualMachines, type ResourceType } from '@kubevirt-ts/api'
import { isNotFound, type KubeClient } from '@kubevirt-ts/kubecli'
import type { Timeline } from '../measure/timeline.ts'
import { benchReplicaSet, replicaSets } from '../objects/replica-set.ts'
import { benchVm, benchVmi } from '../objects/vmi.ts'

/** What is created: guests, VMs that own them, or the reference, a pod of a ReplicaSet. */
export type Kind = 'vmi' | 'vm' | 'pod'

export type Batch = {
  readonly kind: Kind
  /** Objects are called PREFIX-0 and so on. */
  readonly prefix: string
  readonly count: number
  /** Creations per second; all at once where absent. */
  readonly perSecond?: number
}

type Crowd = { readonly client: KubeClient; readonly namespace: string; readonly timeline: Timeline }

const settings: Record<
  Kind,
  { readonly resource: ResourceType<any>; readonly make: (namespace: string, name: string) => object }
> = {
  vmi: { resource: virtualMachineInstances, make: benchVmi },
  vm: { resource: virtualMachines, make: benchVm },
  pod: { resource: replicaSets, make: (namespace, name) => benchReplicaSet(namespace, name, 1) },
}

/** Creates a batch at its pace; answers when every creation was answered. */
export async function createBatch(crowd: Crowd, batch: Batch): Promise<void> {
  const { client, namespace, timeline } = crowd
  const { resource, make } = settings[batch.kind]
  await paced(batch, async (name) => {
    timeline.mark(name, 'create')
    await client.create(resource, make(namespace, name))
    timeline.mark(name, 'answered')
  })
}

/** One ReplicaSet of so many pods: as fast as Kubernetes can. */
export async function createPodsAtOnce(crowd: Crowd, prefix: string, count: number): Promise<number> {
  const started = performance.now()
  await crowd.client.create(replicaSets, benchReplicaSet(crowd.namespace, `${prefix}-many`, count))
  return started
}

/** Deletes a batch at its pace. */
export async function deleteBatch(crowd: Crowd, batch: Batch): Promise<void> {
  const { client, namespace, timeline } = crowd
  await paced(batch, async (name) => {
    timeline.mark(name, 'deleted')
    await client.delete(settings[batch.kind].resource, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  })
}

export async function deletePodsAtOnce({ client, namespace }: Crowd, prefix: string): Promise<void> {
  await client.delete(replicaSets, { namespace, name: `${prefix}-many` }, { propagationPolicy: 'Background' })
  for (;;) {
    const { items } = await client.list(pods, { namespace, labelSelector: `app=${prefix}-many`, limit: 1 })
    if (items.length === 0) return
    await delay(200)
  }
}

async function paced({ prefix, count, perSecond }: Batch, job: (name: string) => Promise<void>): Promise<void> {
  const started = performance.now()
  const jobs: Promise<void>[] = []
  for (let index = 0; index < count; index++) {
    const due = perSecond === undefined ? 0 : started + (index / perSecond) * 1000 - performance.now()
    if (due > 0) await delay(due)
    jobs.push(job(`${prefix}-${index}`))
  }
  await Promise.all(jobs)
}
