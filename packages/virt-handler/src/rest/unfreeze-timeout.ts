const nanosecondsPerUnit: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3_600e9,
}

/** After how many seconds a freeze ends by itself; 0, the launcher's own time, when the request does not say. */
export function unfreezeSeconds(body: string): number {
  if (body === '') return 0
  const { unfreezeTimeout = 0 } = JSON.parse(body) as { unfreezeTimeout?: string | number }
  const nanoseconds = typeof unfreezeTimeout === 'number' ? unfreezeTimeout : nanosecondsOf(unfreezeTimeout)
  return Math.ceil(nanoseconds / 1e9)
}

/** A duration as Go writes it: `5m0s`, `1h30m`, `500ms`. */
function nanosecondsOf(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new Error(`unfreezeTimeout ${JSON.stringify(text)} is not a duration such as 5m0s`)
  return parts.reduce((sum, [, value, unit]) => sum + Number(value) * nanosecondsPerUnit[unit as string]!, 0)
}
