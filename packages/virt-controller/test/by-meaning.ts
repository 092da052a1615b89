import { isQuantity, parseExact } from '@kubevirt-ts/api'

const quantityKeys = /^(memory|cpu|guest|maxGuest|capacity|ephemeral-storage|storage|sizeLimit|.*\/.*)$/
const inAnyOrder = new Set([
  'volumes',
  'volumeMounts',
  'volumeDevices',
  'env',
  'tolerations',
  'imagePullSecrets',
  'add',
  'drop',
])

/** An object such that two that mean the same are equal: quantities as numbers, nothing empty, named lists sorted. */
export function byMeaning(value: unknown, key = '', parent = ''): unknown {
  if (Array.isArray(value)) return list(value, key)
  if (typeof value === 'object' && value !== null) return fields(value as Record<string, unknown>, key)
  const isAmount = ['requests', 'limits', 'memory'].includes(parent) || quantityKeys.test(key)
  return typeof value === 'string' && isAmount && isQuantity(value) ? String(parseExact(value).nanos) : value
}

function list(values: readonly unknown[], key: string): unknown[] {
  const items = values.map((each) => byMeaning(each, key)).filter((each) => !isEmpty(each))
  return inAnyOrder.has(key) ? items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : items
}

function fields(object: Record<string, unknown>, key: string): Record<string, unknown> {
  const entries = Object.entries(object).map(([name, each]) => [name, byMeaning(each, name, key)] as const)
  return Object.fromEntries(entries.filter(([, each]) => !isEmpty(each)))
}

function nameOf(item: unknown): string {
  const { mountPath, devicePath, name } = item as { mountPath?: unknown; devicePath?: unknown; name?: unknown }
  return JSON.stringify(mountPath ?? devicePath ?? name ?? item)
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
