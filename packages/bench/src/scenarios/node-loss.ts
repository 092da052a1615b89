import { setTimeout as delay } from 'node:timers/promises'
import { nodes, pods, virtualMachineInstances } from '@kubevirt-ts/api'
import { fill } from '../measure/fill.ts'
import { nodeNames } from '../lab/fake-nodes.ts'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { Scenario, Scene } from './scenario.ts'

const lost = 3

/** Nodes vanish one after the other: how soon do the VMs that ran there run elsewhere? */
export const nodeLoss: Scenario = {
  name: 'node-loss',
  about: 'nodes vanish one after the other: time until their VMs run elsewhere',
  defaults: { objects: 100, perSecond: 0, seconds: 0 },
  async run(scene) {
    const { options } = scene
    await fill(scene, 'vm', [options.objects])
    const times: number[] = []
    let guests = 0
    for (const node of nodeNames(lost)) {
      const { seconds, moved } = await lose(scene, node)
      scene.say(`  ${moved} VMs of ${node} run elsewhere after ${seconds.toFixed(1)} s`)
      times.push(seconds)
      guests += moved
    }
    return {
      rows: [
        { name: `VMs on ${lost} lost nodes`, value: guests, unit: 'requests' },
        {
          name: 'node lost -> all of its VMs Running elsewhere, worst',
          value: Math.max(...times),
          unit: 's',
          goal: 30,
        },
      ],
    }
  },
}

/** A node that is deleted takes its pods along: their owner is told by the pod collector, as after a power cut. */
async function lose({ lab }: Scene, node: string): Promise<{ seconds: number; moved: number }> {
  const { items } = await lab.client.list(virtualMachineInstances, { namespace: lab.namespace })
  const hit = items.filter(({ status }) => status?.nodeName === node)
  const started = performance.now()
  await lab.client.delete(nodes, { name: node })
  // The pod collector of kube-controller-manager looks every 20 s; who repairs a cluster removes them at once.
  for (const { metadata } of hit) {
    const { items: launchers } = await lab.client.list(pods, {
      namespace: lab.namespace,
      labelSelector: `kubevirt.io/created-by=${metadata.uid}`,
    })
    for (const pod of launchers) {
      await lab.client
        .delete(pods, { namespace: lab.namespace, name: pod.metadata.name ?? '' }, { gracePeriodSeconds: 0 })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error
        })
    }
  }
  const names = new Set(hit.map(({ metadata }) => metadata.name))
  for (;;) {
    const now = await lab.client.list(virtualMachineInstances, { namespace: lab.namespace })
    const back = now.items.filter(
      ({ metadata, status }) => names.has(metadata.name) && status?.phase === 'Running' && status.nodeName !== node,
    )
    if (back.length === hit.length) return { seconds: (performance.now() - started) / 1000, moved: hit.length }
    if (performance.now() - started > 120_000) {
      throw new Error(`only ${back.length} of ${hit.length} VMs of ${node} run elsewhere after 120 s`)
    }
    await delay(200)
  }
}
