import { configMaps, type ResourceType } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'

export type DryRun = {
  readonly name: string
  readonly resource: ResourceType<any>
  readonly make: (namespace: string, name: string) => object
}

/** No webhook is asked about it: what the machine and this client can do in that minute. */
export const configMapDryRun: DryRun = {
  name: 'ConfigMap',
  resource: configMaps,
  make: (namespace, name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }),
}

/** The original's rates were taken where so many ConfigMaps passed in a second, 8 at a time: the measure of its machine. */
export const originalsConfigMaps = 1889

/** Creations that leave nothing behind, so many of them at once. Returns milliseconds of each and seconds of all. */
export async function dryRuns(
  { client, namespace }: { readonly client: KubeClient; readonly namespace: string },
  { resource, make }: DryRun,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
): Promise<{ readonly times: number[]; readonly seconds: number }> {
  const times: number[] = []
  const begun = performance.now()
  let next = 0
  const work = async () => {
    while (next < count) {
      const started = performance.now()
      await client.create(resource, make(namespace, `dry-${next++}`), { dryRun: true })
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { times, seconds: (performance.now() - begun) / 1000 }
}
