import { isDeepStrictEqual } from 'node:util'

/** RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** A JSON pointer (RFC 6901) from its unescaped parts. */
export function pointer(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * The operations that turn `before` into `after` at these pointers, each guarded by a test of what was seen before, so
 * that another's write in between refuses the patch. Equal values give no operation; missing parents are added.
 */
export function diffPatch(before: unknown, after: unknown, paths: readonly string[]): JsonPatchOperation[] {
  const added = new Set<string>()
  return paths.flatMap((path) => {
    const old = valueAt(before, path)
    const value = valueAt(after, path)
    if (isDeepStrictEqual(old, value)) return []
    if (value === undefined) return [{ op: 'test', path, value: old } as const, { op: 'remove', path } as const]
    if (old !== undefined) return [{ op: 'test', path, value: old } as const, { op: 'replace', path, value } as const]
    return [...missingParents(before, path, added), { op: 'add', path, value } as const]
  })
}

function missingParents(before: unknown, path: string, added: Set<string>): JsonPatchOperation[] {
  const parents = path
    .split('/')
    .slice(1, -1)
    .map((_, depth, parts) => `/${parts.slice(0, depth + 1).join('/')}`)
  return parents
    .filter((parent) => valueAt(before, parent) === undefined && !added.has(parent))
    .map((parent) => {
      added.add(parent)
      return { op: 'add', path: parent, value: {} }
    })
}

function valueAt(root: unknown, path: string): unknown {
  let value: unknown = root
  for (const part of path.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return value
}
