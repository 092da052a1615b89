/** How a kind is addressed at the API server. */
export interface ResourceType<T> {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** Never set: carries the type of the objects. */
  readonly __object?: T
}

/** `group/version`, or only the version for the core group: an object's `apiVersion`. */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}
