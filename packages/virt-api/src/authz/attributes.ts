import type { ResourceAttributes } from '@kubevirt-ts/api'

export type AttributesResult = { readonly attributes: ResourceAttributes } | { readonly refused: string }

const resources = ['virtualmachines', 'virtualmachineinstances']

const verbs: Readonly<Record<string, readonly [withName: string, withoutName: string]>> = {
  POST: ['create', 'create'],
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
}

/**
 * What a request on `/apis/subresources.kubevirt.io/<version>/namespaces/<namespace>/<resource>/<name>/<subresource>`
 * is allowed or refused by. `path` comes without its query.
 */
export function resourceAttributes(method: string, path: string): AttributesResult {
  const parts = path.split('/')
  const subject = subjectOf(parts)
  if (subject === undefined) return { refused: `unknown api endpoint: ${path}` }
  if ('refused' in subject) return subject
  const verb = verbs[method]?.[subject.name ? 0 : 1]
  if (verb === undefined) return { refused: `unknown http verb in request: ${method}` }
  return { attributes: { group: parts[2]!, version: parts[3]!, namespace: parts[5]!, ...subject, verb } }
}

type Subject = Pick<ResourceAttributes, 'resource' | 'name' | 'subresource'>

function subjectOf(parts: readonly string[]): Subject | { readonly refused: string } | undefined {
  if (parts.length >= 9) {
    const resource = parts[6]!
    if (!resources.includes(resource)) return { refused: `unknown resource type ${resource}` }
    // The port of a forward is no part of what is allowed.
    const subresource = parts[8] === 'portforward' ? 'portforward' : parts.slice(8).join('/')
    return { resource, name: parts[7]!, subresource }
  }
  return parts.length === 7 && parts[6] === 'expand-vm-spec' ? { resource: 'expand-vm-spec', name: '' } : undefined
}
