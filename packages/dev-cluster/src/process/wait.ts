import { setTimeout as delay } from 'node:timers/promises'

/** Asks again until the answer is true; false when the time is over. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { timeout, every = 100 }: { readonly timeout: number; readonly every?: number },
): Promise<boolean> {
  const end = performance.now() + timeout
  while (!(await condition())) {
    if (performance.now() > end) return false
    await delay(every)
  }
  return true
}
