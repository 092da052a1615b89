import type { ResourceType } from '@kubevirt-ts/api'
import { ApiError } from './api-error.ts'

export interface PathParts {
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

/** The API path of a collection, an object or a subresource. Throws when a name could leave its place in the path. */
export function resourcePath(
  resource: ResourceType<unknown>,
  { namespace, name, subresource }: PathParts = {},
): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const scope = resource.namespaced && namespace !== undefined ? ['namespaces', segment(namespace)] : []
  const object = name === undefined ? [] : [segment(name)]
  const rest = subresource === undefined ? [] : subresource.split('/').map(segment)
  return [root, ...scope, resource.plural, ...object, ...rest].join('/')
}

function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) {
    const message = `"${name}" cannot be part of an API path: object names have letters, digits, "-" and "." only`
    throw new ApiError({ code: 400, reason: 'BadRequest', message }, { request: 'not sent' })
  }
  return encodeURIComponent(name)
}
