import type { ClientResponse } from './kube-client.ts'

/** For programs whose user waits rather than asks again. */
export interface Patience {
  /** How long an API behind the server may be away. */
  readonly forMs: number
  /** Called once for a request that has to wait, with the server's words. */
  readonly onWait: (reason: string) => void
}

type Answer = { readonly status: number; readonly headers: ClientResponse['headers']; readonly body?: Buffer }

/** How often a request that the server put off (429, or 503 with Retry-After) is sent again. */
const maxRepeats = 5
const maxRetryAfterSeconds = 10
const unreachedMs = 500

/** Says after each answer how many milliseconds later the request is to be sent again; undefined for not at all. */
export function putOffs(patience: Patience | undefined): (answer: Answer) => number | undefined {
  const begins = performance.now()
  let repeats = 0
  let isTold = false
  return (answer) => {
    const byServer = retryAfterMs(answer)
    if (byServer !== undefined) return repeats++ < maxRepeats ? byServer : undefined
    const reason = unreached(answer)
    if (patience === undefined || reason === undefined || performance.now() - begins > patience.forMs) return undefined
    if (!isTold) patience.onWait(reason)
    isTold = true
    return unreachedMs
  }
}

function retryAfterMs({ status, headers }: Answer): number | undefined {
  const seconds = Number(headers['retry-after'])
  if (status === 429) return Math.min(seconds || 1, maxRetryAfterSeconds) * 1000
  if (status === 503 && seconds > 0) return Math.min(seconds, maxRetryAfterSeconds) * 1000
  return undefined
}

/** The aggregator's words where nothing reached the API behind it: such a request can be sent again, whatever it asks. */
const neverSent =
  /^service unavailable$|dial tcp .*: (connect: connection refused|connect: no route to host|i\/o timeout)$/

function unreached({ status, body }: Answer): string | undefined {
  const text = status === 503 ? (body?.toString().trim() ?? '') : ''
  return neverSent.test(text) ? text : undefined
}
