import type { PatchType } from '../kube-client.ts'
import { isDeepStrictEqual } from 'node:util'

/** A patch that does not apply; the API server answers 422. */
export class PatchRefused extends Error {}

type Json = Record<string, unknown>

/** The patched object; the given one stays as it is. */
export function patched<T extends object>(object: T, body: unknown, type: PatchType): T {
  const copy = structuredClone(object)
  if (type === 'json') return (body as readonly Operation[]).reduce<T>((value, each) => operate(value, each) as T, copy)
  return merge(copy, body, type === 'merge' ? replaceList : mergeList) as T
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

function operate(root: unknown, { op, path, value }: Operation): unknown {
  if (path === '') return op === 'test' ? tested(root, value, path) : structuredClone(value)
  const parts = path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const key = parts.pop()!
  const parent = parts.reduce<unknown>((at, part) => (at as Json | undefined)?.[part], root)
  if (typeof parent !== 'object' || parent === null) throw new PatchRefused(`${op}: ${path} has no parent`)
  if (op === 'test') tested((parent as Json)[key], value, path)
  else if (Array.isArray(parent)) operateOnList(parent, key, { op, path, value })
  else operateOnMap(parent as Json, key, { op, path, value })
  return root
}

function tested<V>(actual: V, expected: unknown, path: string): V {
  // As in the API server, null stands for what does not exist.
  if (isDeepStrictEqual(actual ?? null, expected ?? null)) return actual
  throw new PatchRefused(`testing value ${path} failed`)
}

function operateOnMap(map: Json, key: string, { op, path, value }: Operation): void {
  if (op !== 'add' && !Object.hasOwn(map, key)) throw new PatchRefused(`${op}: ${path} does not exist`)
  if (op === 'remove') delete map[key]
  else map[key] = structuredClone(value)
}

function operateOnList(list: unknown[], key: string, { op, path, value }: Operation): void {
  const index = key === '-' ? list.length : Number(key)
  if (!(index >= 0 && index <= (op === 'add' ? list.length : list.length - 1))) {
    throw new PatchRefused(`${op}: ${path} is outside of the list`)
  }
  if (op === 'add') list.splice(index, 0, structuredClone(value))
  else if (op === 'remove') list.splice(index, 1)
  else list[index] = structuredClone(value)
}

type MergeList = (before: unknown, after: readonly unknown[]) => unknown

const replaceList: MergeList = (_, after) => structuredClone(after)

/** Strategic merge and apply join the entries of conditions by type and those of other lists by name. */
const mergeList: MergeList = (before, after) => {
  const keyOf = (entry: unknown) => (entry as Json | null)?.['type'] ?? (entry as Json | null)?.['name']
  if (!Array.isArray(before) || after.some((entry) => keyOf(entry) === undefined)) return structuredClone(after)
  const result: unknown[] = [...(before as unknown[])]
  for (const entry of after) {
    const index = result.findIndex((each) => keyOf(each) === keyOf(entry))
    if (index < 0) result.push(structuredClone(entry))
    else result[index] = merge(result[index], entry, mergeList)
  }
  return result
}

function merge(before: unknown, after: unknown, lists: MergeList): unknown {
  if (Array.isArray(after)) return lists(before, after)
  if (typeof after !== 'object' || after === null) return after
  const result: Json = typeof before === 'object' && before !== null && !Array.isArray(before) ? { ...before } : {}
  for (const [key, value] of Object.entries(after)) {
    if (value === null) delete result[key]
    else result[key] = merge(result[key], value, lists)
  }
  return result
}
