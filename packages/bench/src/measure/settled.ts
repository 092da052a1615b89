import { setTimeout as delay } from 'node:timers/promises'
import type { AuditLog } from './audit.ts'

const quietMs = 1000
const pollMs = 100
/** Leases and heartbeats go on, a few hundred bytes each. */
const quietBytes = 6000

/** Waits until the API server has had little to answer for a second: late writes belong to the batch that caused them. */
export async function settled(audit: AuditLog): Promise<void> {
  const marks: number[] = []
  for (;;) {
    marks.push(await audit.mark())
    const before = marks.at(-1 - quietMs / pollMs)
    if (before !== undefined && marks.at(-1)! - before < quietBytes) return
    await delay(pollMs)
  }
}
