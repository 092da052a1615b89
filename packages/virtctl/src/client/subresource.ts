import type { Status } from '@kubevirt-ts/api'
import type { Cluster } from '../command.ts'

export type Resource = 'virtualmachines' | 'virtualmachineinstances'

/** The path of a subresource at the API server. */
export const subresourcePath = (namespace: string, resource: Resource, name: string, subresource: string): string =>
  `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/${subresource}`

/** Puts options on a subresource. Throws an error with the server's words when it is refused. */
export async function putSubresource(
  { client, namespace }: Cluster,
  resource: Resource,
  name: string,
  subresource: string,
  options: object,
): Promise<void> {
  const path = subresourcePath(namespace, resource, name, subresource)
  answerOf(await client.request({ method: 'PUT', path, body: options }))
}

/** The answer's body. Throws an error with the server's words when it is a refusal. */
export function answerOf({ status, body }: { readonly status: number; readonly body: Buffer }): Buffer {
  if (status >= 300) throw new Error(messageOf(status, body))
  return body
}

/** Reads JSON from a subresource. Throws an error with the server's words when it is refused. */
export async function getSubresource(
  { client, namespace }: Cluster,
  resource: Resource,
  name: string,
  subresource: string,
): Promise<unknown> {
  const path = subresourcePath(namespace, resource, name, subresource)
  return JSON.parse(answerOf(await client.request({ method: 'GET', path })).toString()) as unknown
}

function messageOf(status: number, body: Buffer): string {
  const text = body.toString().trim()
  try {
    return (JSON.parse(text) as Status).message ?? text
  } catch {
    return text || `the server answered ${status}`
  }
}
