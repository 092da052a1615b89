/** How often something that took too long is tried again. */
const tries = 3

/**
 * The least time of up to three tries, in milliseconds; no further one once the limit is kept. A machine that is busy with
 * something else holds one up now and then, what the product itself takes is in all of them.
 */
export async function bestWithin(limitMs: number, measure: (attempt: number) => Promise<number>): Promise<number> {
  let best = Infinity
  for (let attempt = 0; attempt < tries && best > limitMs; attempt++) best = Math.min(best, await measure(attempt))
  return best
}
