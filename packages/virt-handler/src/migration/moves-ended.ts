import { setTimeout as sleep } from 'node:timers/promises'
import type { MigrationDeps } from './deps.ts'

const lookMs = 200
/** The source's word that all is well may be on its way when the doors are closed. */
const lastWordsMs = 1_000

/**
 * Waits until no guest is on its way through this process any more, or the time is over: its conversations would end
 * with the process, and the move with them. Answers how many are left. KubeVirt's `--graceful-shutdown-seconds`.
 */
export async function movesEnded(
  { targetProxies, sourceProxies }: Pick<MigrationDeps, 'targetProxies' | 'sourceProxies'>,
  timeoutMs: number,
): Promise<number> {
  const deadline = Date.now() + timeoutMs
  const left = (): number => targetProxies.size + sourceProxies.size
  if (left() === 0) return 0
  while (left() > 0 && Date.now() < deadline) await sleep(lookMs)
  await sleep(lastWordsMs)
  return left()
}
