import { controllerRevisions } from '@kubevirt-ts/api'
import { keyFor } from '@kubevirt-ts/controller'
import type { Lookup } from '@kubevirt-ts/instancetype'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { Deps } from '../deps.ts'

/** Copies are watched, all else is asked for. */
export function lookupWith({ client, revisions }: Pick<Deps, 'client' | 'revisions'>): Lookup {
  return async (resource, reference) => {
    if (resource.plural === controllerRevisions.plural) {
      const known = revisions.get(keyFor(reference.namespace, reference.name))
      if (known !== undefined) return known as never
    }
    try {
      return await client.get(resource, reference)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}
