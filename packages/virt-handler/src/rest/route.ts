/** A request for a subresource of a VMI. */
export interface Route {
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly query: URLSearchParams
}

const pattern =
  /^\/v1\/namespaces\/([a-z0-9-]{1,63})\/virtualmachineinstances\/([a-z0-9.-]{1,253})\/([a-z]+(?:\/[a-z]+)?)$/

/** Undefined for a path that is none. */
export function parseRoute(url: string): Route | undefined {
  const { pathname, searchParams } = new URL(url, 'https://virt-handler')
  const [, namespace, name, subresource] = pattern.exec(pathname) ?? []
  if (namespace === undefined || name === undefined || subresource === undefined) return undefined
  return { namespace, name, subresource, query: searchParams }
}
