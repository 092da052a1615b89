import { setTimeout as delay } from 'node:timers/promises'
import { virtualMachineInstances, type VirtualMachineInstance } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { nextScene, played, type Timing } from './script.ts'
import { replaceVmi } from './write-as.ts'

/** The newest version of each VMI that has a part to play. */
type Stage = {
  readonly client: KubeClient
  readonly timing: Timing
  readonly newest: Map<string, VirtualMachineInstance>
}

/**
 * Plays the node agents of all nodes: follows every VMI with one watch and writes what its node would. A write that
 * lost a race is made again from the next version, as virt-handler does.
 */
export async function playGuests(client: KubeClient, timing: Timing): Promise<never> {
  const stage: Stage = { client, timing, newest: new Map() }
  for (;;) {
    const { items, metadata } = await client.list(virtualMachineInstances)
    for (const vmi of items) take(stage, { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', ...vmi })
    try {
      for await (const { type, object } of client.watch(virtualMachineInstances, {
        resourceVersion: metadata.resourceVersion,
      })) {
        if (type === 'DELETED') stage.newest.delete(keyOf(object))
        else if (type !== 'BOOKMARK') take(stage, object)
      }
    } catch (error) {
      console.error(error)
    }
  }
}

const keyOf = ({ metadata }: VirtualMachineInstance): string => `${metadata.namespace}/${metadata.name}`

function take(stage: Stage, vmi: VirtualMachineInstance): void {
  const scene = nextScene(vmi, stage.timing)
  const key = keyOf(vmi)
  const isPlaying = stage.newest.has(key)
  if (scene === undefined) return void (isPlaying && stage.newest.set(key, vmi))
  stage.newest.set(key, vmi)
  if (!isPlaying) void play(stage, key, scene.afterMs)
}

async function play(stage: Stage, key: string, afterMs: number): Promise<void> {
  const { client, timing, newest } = stage
  if (afterMs > 0) await delay(afterMs)
  const vmi = newest.get(key)
  const scene = vmi === undefined ? undefined : nextScene(vmi, timing)
  if (vmi === undefined || scene === undefined) return void newest.delete(key)
  try {
    await replaceVmi(client, played(vmi, scene, new Date()))
  } catch (error) {
    console.error(error)
  }
  const after = newest.get(key)
  newest.delete(key)
  if (after !== undefined && after !== vmi) take(stage, after)
}
