import { setTimeout as sleep } from 'node:timers/promises'

export interface Waiting {
  /** Milliseconds since 1970 after which waiting ends. */
  readonly deadline: number
  readonly pollMs?: number
}

/** Asks until the answer is empty; returns what was left when the time was over. `report` is told of each change. */
export async function waitUntilNone<T>(
  ask: () => Promise<readonly T[]>,
  report: (left: readonly T[]) => void,
  { deadline, pollMs = 1000 }: Waiting,
): Promise<readonly T[]> {
  let reported = -1
  for (;;) {
    const left = await ask()
    if (left.length === 0) return left
    if (left.length !== reported) report(left)
    reported = left.length
    if (Date.now() >= deadline) return left
    await sleep(pollMs)
  }
}
