import { configMaps, secrets } from '@kubevirt-ts/api'
import type { ConfigMap, KubeObject, ResourceType, Secret } from '@kubevirt-ts/api'
import { isAlreadyExists, isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { caBundleKey, caConfigMap } from './inventory.ts'
import type { SignedPair } from './sign.ts'

/** Marks what this controller made; its caches select by it. */
export const ownLabels = { 'kubevirt.io': 'certificates', 'app.kubernetes.io/managed-by': 'virt-controller' }

/** Writes a pair into its Secret, whether it is there or not; returns what is stored now. */
export function storePair(client: KubeClient, namespace: string, name: string, pair: SignedPair): Promise<Secret> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  return store(client, secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: ownLabels },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(pair.cert), 'tls.key': base64(pair.key) },
  })
}

/** Writes the bundle of trusted authorities. */
export function storeBundle(client: KubeClient, namespace: string, bundle: string): Promise<ConfigMap> {
  return store(client, configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: caConfigMap, namespace, labels: ownLabels },
    data: { [caBundleKey]: bundle },
  })
}

async function store<T extends KubeObject & { data?: unknown; type?: string }>(
  client: KubeClient,
  resource: ResourceType<T>,
  object: T,
): Promise<T> {
  const { namespace, name } = object.metadata
  try {
    const body = { metadata: { labels: ownLabels }, data: object.data }
    return await client.patch(resource, { namespace, name }, body, { type: 'merge' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  try {
    return await client.create(resource, object)
  } catch (error) {
    // Somebody made it in between; the next pass sees it.
    if (isAlreadyExists(error)) return object
    throw error
  }
}
