const pollMs = 250

/**
 * Waits until `look` stops throwing and returns its value.
 * After `timeoutMs` the last error is thrown, with what was waited for.
 */
export async function eventually<T>(what: string, look: () => Promise<T>, timeoutMs = 120_000): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error(`${what}: not within ${timeoutMs / 1000} s. Last: ${(error as Error).message}`, {
          cause: error,
        })
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Throws with `message` unless `fact` holds: the way a look says "not yet". */
export function ensure(fact: unknown, message: string): asserts fact {
  if (!fact) throw new Error(message)
}
