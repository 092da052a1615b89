/** A DNS label: at most 63 of a-z, 0-9 and -, with a letter or digit at both ends. */
export const isDnsLabel = (name: string): boolean => name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)

/** A DNS subdomain: labels joined by dots, at most 253 characters. */
export const isDnsSubdomain = (name: string): boolean =>
  name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)

const labelPart = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

/** A label's name: at most 63 characters, after a DNS subdomain and a slash or alone. */
export const isLabelName = (name: string): boolean => {
  const slash = name.indexOf('/')
  const last = name.slice(slash + 1)
  return (slash === -1 || isDnsSubdomain(name.slice(0, slash))) && last.length <= 63 && labelPart.test(last)
}

/** A label's value: at most 63 characters, none is well too. */
export const isLabelValue = (value: string): boolean => value === '' || (value.length <= 63 && labelPart.test(value))

/** Indices of the elements whose key was seen before them. */
export function repeated<T>(items: readonly T[], keyOf: (item: T) => string | number | undefined): number[] {
  const seen = new Set<string | number>()
  return items.flatMap((item, index) => {
    const key = keyOf(item)
    if (key === undefined || !seen.has(key)) {
      if (key !== undefined) seen.add(key)
      return []
    }
    return [index]
  })
}
