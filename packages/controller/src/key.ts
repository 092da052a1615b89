import type { KubeObject } from '@kubevirt-ts/api'

/** `namespace/name`, or `name` for objects without a namespace. */
export function keyOf(object: KubeObject): string {
  return keyFor(object.metadata.namespace, object.metadata.name ?? '')
}

export function keyFor(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function splitKey(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
