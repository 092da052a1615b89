/** Work that ends early when the signal tells that nobody needs its result any more. */
export type Work = (signal: AbortSignal) => Promise<unknown>

/**
 * Does several things at once. The first failure tells the others to end, and is thrown once they have ended.
 * @param outer tells all of them to end
 */
export async function together(works: readonly Work[], outer?: AbortSignal): Promise<void> {
  const failing = new AbortController()
  const signal = outer ? AbortSignal.any([outer, failing.signal]) : failing.signal
  const failures: unknown[] = []
  const watched = async (work: Work): Promise<void> => {
    try {
      await work(signal)
    } catch (error) {
      failures.push(error)
      failing.abort()
    }
  }
  await Promise.all(works.map(watched))
  if (failures.length > 0) throw failures[0]
}
