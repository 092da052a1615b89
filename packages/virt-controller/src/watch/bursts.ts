/** At most so many creations or deletions in one pass over an owner. */
export const burst = 250

/**
 * Runs the job `count` times in batches that double while all goes well: a refusal that concerns all of them, such as
 * a quota, then costs a few requests instead of hundreds. The answer is how many succeeded and the first error.
 */
export async function inBatches(
  count: number,
  job: (index: number) => Promise<void>,
): Promise<{ readonly done: number; readonly error?: unknown }> {
  let done = 0
  for (let size = 1, started = 0; started < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - started) }, (_, offset) => job(started + offset))
    started += batch.length
    const results = await Promise.allSettled(batch)
    done += results.filter(({ status }) => status === 'fulfilled').length
    const failed = results.find((result): result is PromiseRejectedResult => result.status === 'rejected')
    if (failed !== undefined) return { done, error: failed.reason }
  }
  return { done }
}
