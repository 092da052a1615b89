import { customResourceDefinitions } from '@kubevirt-ts/api'
import type { CustomResourceDefinition, KubeObject, ResourceType } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'

/** The API groups that this product defines; `cdi.kubevirt.io` and others belong to other products. */
const groups: ReadonlySet<string> = new Set([
  'kubevirt.io',
  'pool.kubevirt.io',
  'snapshot.kubevirt.io',
  'export.kubevirt.io',
  'backup.kubevirt.io',
  'clone.kubevirt.io',
  'migrations.kubevirt.io',
  'instancetype.kubevirt.io',
  'plugin.kubevirt.io',
])

/** The product's definitions that exist. */
export async function ownedDefinitions(client: KubeClient): Promise<readonly CustomResourceDefinition[]> {
  const { items } = await client.list(customResourceDefinitions)
  return items.filter(({ spec }) => groups.has(spec.group))
}

export function resourceOf({ spec }: CustomResourceDefinition): ResourceType<KubeObject> {
  const version = spec.versions.find(({ storage }) => storage) ?? spec.versions[0]
  return {
    group: spec.group,
    version: version?.name ?? 'v1',
    plural: spec.names.plural,
    kind: spec.names.kind,
    namespaced: spec.scope === 'Namespaced',
  }
}

/** All objects of a kind; none where the kind itself is not defined (any more). */
export async function objectsOf<T>(client: KubeClient, resource: ResourceType<T>): Promise<readonly T[]> {
  try {
    return (await client.list(resource)).items
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

/** Deletes unless it is gone or going. */
export async function remove<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceType<T>,
  { metadata }: T,
): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return
  try {
    await client.delete(
      resource,
      { namespace: metadata.namespace, name: metadata.name },
      { propagationPolicy: 'Background' },
    )
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Takes every finalizer off, so that a deleted object goes although nobody finishes its work. */
export async function release<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceType<T>,
  { metadata }: T,
): Promise<void> {
  if ((metadata.finalizers ?? []).length === 0) return
  const reference = { namespace: metadata.namespace, name: metadata.name }
  try {
    await client.patch(resource, reference, { metadata: { finalizers: null } }, { type: 'merge' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
