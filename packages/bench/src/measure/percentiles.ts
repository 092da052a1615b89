/** The value below which a part of the sorted values lies (nearest rank); NaN of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * part) - 1))] ?? NaN
}

export type Percentiles = { readonly p50: number; readonly p95: number; readonly p99: number }

export const percentilesOf = (values: readonly number[]): Percentiles => ({
  p50: percentile(values, 0.5),
  p95: percentile(values, 0.95),
  p99: percentile(values, 0.99),
})
