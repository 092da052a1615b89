/** A copy without members that are null: for Go, and so for Kubernetes, they are absent. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each as unknown)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutNulls(each as unknown)])) as T
}
