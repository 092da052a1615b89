/** A JSON patch operation that was written as text; undefined when it is none. */
export function parsePatch(text: string): { readonly op: string; readonly path: string } | undefined {
  try {
    const value = JSON.parse(text) as { op?: unknown; path?: unknown } | null
    return typeof value?.op === 'string' && typeof value.path === 'string'
      ? { op: value.op, path: value.path }
      : undefined
  } catch {
    return undefined
  }
}
