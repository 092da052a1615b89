/** Waits, or less when the signal is aborted; never rejects. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal?.aborted === true) resolve()
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    resolve()
  }
  const timer = setTimeout(end, milliseconds)
  signal?.addEventListener('abort', end, { once: true })
  return promise
}
