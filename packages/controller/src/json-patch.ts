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
    if (old === undefined) return addition({ before, path, value, added })
    const test = { op: 'test', path, value: old } as const
    return value === undefined
      ? [test, { op: 'remove', path } as const]
      : [test, { op: 'replace', path, value } as const]
  })
}

interface Addition {
  readonly before: unknown
  readonly path: string
  readonly value: unknown
  /** Parents that this patch adds already. */
  readonly added: Set<string>
}

function addition({ before, path, value, added }: Addition): JsonPatchOperation[] {
  const missing = parentsOf(path).filter((parent) => valueAt(before, parent) === undefined)
  const fresh = missing.filter((parent) => !added.has(parent))
  for (const parent of fresh) added.add(parent)
  // What does not exist is null to a test. Below a parent of our own making nobody can have written.
  const [guarded] = missing.length === 0 ? [path] : fresh
  return [
    ...(guarded === undefined ? [] : [{ op: 'test', path: guarded, value: null } as const]),
    ...fresh.map((parent) => ({ op: 'add', path: parent, value: {} }) as const),
    { op: 'add', path, value },
  ]
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(1, -1)
  return parts.map((_, depth) => `/${parts.slice(0, depth + 1).join('/')}`)
}

function valueAt(root: unknown, path: string): unknown {
  let value: unknown = root
  for (const part of path.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return value
}
