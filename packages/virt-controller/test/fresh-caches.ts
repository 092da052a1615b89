import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { Expectations, keyOf } from '@kubevirt-ts/controller'
import type { Lister } from '@kubevirt-ts/controller'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { OwnWrites } from '../src/watch/own-writes.ts'

type Indexers<T> = Readonly<Record<string, (object: T) => readonly string[]>>

/** A cache that is never behind: it reads what the server holds. */
export function freshLister<T extends KubeObject>(
  client: FakeClient,
  resource: ResourceType<T>,
  indexers: Indexers<T> = {},
): Lister<T> {
  return {
    get: (key) => client.objects(resource).find((object) => keyOf(object) === key),
    list: () => client.objects(resource),
    byIndex: (index, value) => client.objects(resource).filter((object) => indexers[index]?.(object).includes(value)),
  }
}

/** With fresh caches nothing is ever waited for. */
export const unbothered = {
  expectations: new Expectations({ now: () => Infinity }),
  ownWrites: new OwnWrites(() => Infinity),
}

/** Repeats the pass until the server holds the same objects before and after it. */
export async function settle(
  client: FakeClient,
  resources: readonly ResourceType<KubeObject>[],
  pass: () => Promise<unknown>,
): Promise<void> {
  const versions = (): string =>
    resources
      .flatMap((resource) => client.objects(resource))
      .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
      .join()
  for (let round = 0; round < 20; round++) {
    const before = versions()
    await pass()
    if (versions() === before) return
  }
  throw new Error('the controller does not come to rest')
}

/** What an event recorder was told, as `Kind Reason`. */
export function eventLog(): {
  readonly told: string[]
  event(object: KubeObject, type: string, reason: string): void
} {
  const told: string[] = []
  return { told, event: (object, _type, reason) => void told.push(`${object.kind} ${reason}`) }
}
