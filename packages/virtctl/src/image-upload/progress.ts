import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext } from '../command.ts'
import { progressOf } from './target.ts'

const pollMs = 1000

/** Waits until CDI has told of the claim what is waited for. Throws with `otherwise` when it does not in time. */
export async function until(
  cluster: Cluster,
  name: string,
  isThere: (progress: Readonly<Record<string, string>>) => boolean,
  otherwise: string,
  waitMs: number,
  { signal }: CommandContext,
): Promise<void> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const progress = await progressOf(cluster, name)
    if (progress && isThere(progress)) return
    if (Date.now() >= deadline) {
      throw new CommandError(
        `${otherwise} within ${waitMs / 1000} s: look at kubectl -n ${cluster.namespace} describe pvc ${name}, or wait longer with --wait-secs`,
      )
    }
    await delay(pollMs, undefined, { signal })
  }
}
