const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds of Go's notation for durations, such as `1h30m`; undefined where it is none. */
export function millisecondsOf(duration: unknown): number | undefined {
  if (duration === '0') return 0
  if (typeof duration !== 'string' || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0), 0)
}
