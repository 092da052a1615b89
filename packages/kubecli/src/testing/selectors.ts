import type { KubeObject } from '@kubevirt-ts/api'

export interface Selection {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Whether the object belongs to what was asked for. */
export function isSelected(object: KubeObject, { namespace, labelSelector, fieldSelector }: Selection): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false
  const labels = object.metadata.labels ?? {}
  const fields = (path: string) => textAt(object, path)
  return (
    requirements(labelSelector).every((each) => holds(each, (key) => labels[key])) &&
    requirements(fieldSelector).every((each) => holds(each, fields))
  )
}

/** Commas separate requirements, except within the parentheses of a set. */
function requirements(selector = ''): string[] {
  return (selector.match(/(?:[^,(]|\([^)]*\))+/g) ?? []).map((each) => each.trim()).filter((each) => each !== '')
}

function holds(requirement: string, valueOf: (key: string) => string | undefined): boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(requirement)
  if (set !== null) {
    const [, key = '', operator, list = ''] = set
    const value = valueOf(key)
    const isIn = value !== undefined && list.split(',').some((each) => each.trim() === value)
    return operator === 'in' ? isIn : !isIn
  }
  const equality = /^([^=!]+?)\s*(==|=|!=)\s*(.*)$/.exec(requirement)
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality
    return operator === '!=' ? valueOf(key) !== value : (valueOf(key) ?? '') === value
  }
  return requirement.startsWith('!') ? valueOf(requirement.slice(1)) === undefined : valueOf(requirement) !== undefined
}

function textAt(object: unknown, path: string): string | undefined {
  let value: unknown = object
  for (const part of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[part]
  return value === undefined ? undefined : String(value as string | number | boolean)
}
