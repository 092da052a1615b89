import { setTimeout as delay } from 'node:timers/promises'
import type { Scene } from '../scenarios/scenario.ts'
import { createBatch, type Kind } from '../scenarios/pace.ts'
import { settled } from './settled.ts'
import { usageOf, type Usage } from './usage.ts'

/** Memory of virt-controller with so many guests present. */
export type Level = { readonly objects: number; readonly heapMiB: number; readonly usage: Usage; readonly api: Usage }

const perSecond = 25

/** Creates guests up to each count in turn and measures memory at rest there; guests stay. */
export async function fill(scene: Scene, kind: Exclude<Kind, 'pod'>, counts: readonly number[]): Promise<Level[]> {
  const { lab, timeline, say, audit } = scene
  const crowd = { client: lab.client, namespace: lab.namespace, timeline }
  const levels = [await level(scene, 0)]
  let present = 0
  for (const count of counts) {
    const prefix = `fill${count}`
    await createBatch(crowd, { kind, prefix, count: count - present, perSecond })
    const tracked = kind === 'vm' ? `vm:${prefix}-` : `${prefix}-`
    await timeline.until(tracked, 'ready', count - present, 600_000)
    present = count
    await settled(audit)
    await delay(1000)
    levels.push(await level(scene, count))
    say(
      `  ${count} ${kind}s: heap ${levels.at(-1)!.heapMiB.toFixed(1)} MiB, RSS ${levels.at(-1)!.usage.rssMiB.toFixed(0)} MiB`,
    )
  }
  return levels
}

async function level({ lab, probes }: Scene, objects: number): Promise<Level> {
  const heapMiB = (await probes.controller.collectedHeap()) / 2 ** 20
  const [usage, api] = await Promise.all(
    ['virt-controller', 'virt-api'].map((name) => usageOf(lab.children.get(name)!.pid)),
  )
  return { objects, heapMiB, usage: usage!, api: api! }
}

/** KiB for each further object, between the first and the last level. */
export function slope(levels: readonly Level[], value: (level: Level) => number): number {
  const [first, last] = [levels[0]!, levels.at(-1)!]
  return ((value(last) - value(first)) * 1024) / (last.objects - first.objects)
}
