import type { KubeObject } from '@kubevirt-ts/api'
import type { Lister } from '../informer/informer.ts'
import { keyOf } from '../key.ts'

/** A cache of exactly these objects, for tests that need no watch. */
export function listerOf<T extends KubeObject>(
  objects: readonly T[],
  indexers: Readonly<Record<string, (object: T) => readonly string[]>> = {},
): Lister<T> {
  const byKey = new Map(objects.map((object) => [keyOf(object), object]))
  return {
    get: (key) => byKey.get(key),
    list: () => [...byKey.values()],
    byIndex: (index, value) => [...byKey.values()].filter((object) => indexers[index]?.(object).includes(value)),
  }
}
