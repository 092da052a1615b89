/** The value without members that are null: for Go, and so for Kubernetes, they are absent. A copy only where there are some. */
export function withoutNulls<T>(value: T): T {
  return hasNull(value) ? copied(value) : value
}

function hasNull(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) {
    const each = (value as Record<string, unknown>)[key]
    if (each === null || (typeof each === 'object' && hasNull(each))) return true
  }
  return false
}

function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map((each) => copied(each as unknown)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(entries.map(([name, each]) => [name, copied(each as unknown)])) as T
}
