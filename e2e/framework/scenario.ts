import { test } from '@jest/globals'
import { collectEvidence } from './evidence.ts'

/** What collecting evidence may take on a busy machine. */
const evidenceMs = 60_000

/** A test against the cluster: when it fails, what explains it is collected before anything is cleaned up. */
export function scenario(title: string, play: () => Promise<void>, timeoutMs = 360_000): void {
  test(
    title,
    async () => {
      const started = performance.now()
      const say = (outcome: string) =>
        process.stderr.write(`${outcome}  ${title} (${((performance.now() - started) / 1000).toFixed(1)} s)\n`)
      try {
        await withDeadline(play, timeoutMs - evidenceMs)
        say('ok')
      } catch (error) {
        say('--')
        const { message } = error as Error
        const folder = await collectEvidence(title, message).catch((reason: unknown) => `nowhere: ${String(reason)}`)
        throw new Error(`${message}\nevidence: ${folder}`, { cause: error })
      }
    },
    timeoutMs,
  )
}

/** Ends early enough that evidence can still be collected within the test's own time-out. */
async function withDeadline(play: () => Promise<void>, deadlineMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${deadlineMs / 1000} s`)), deadlineMs)
  })
  try {
    await Promise.race([play(), late])
  } finally {
    clearTimeout(timer)
  }
}
