import { open } from 'node:fs/promises'
import { constants } from 'node:fs'

/** What virtlogd, which is not used, would allow. */
const mostBytes = 2 * 1024 * 1024
const checkMs = 5_000

/**
 * Keeps the serial console's log from growing without end: QEMU appends to it, so that it can be emptied at any time.
 * Whoever wants all of it has read it meanwhile.
 * @returns ends the watch
 */
export function boundSerialLog(path: string): () => void {
  const timer = setInterval(() => void emptyIfLarge(path).catch(() => undefined), checkMs)
  timer.unref()
  return () => clearInterval(timer)
}

async function emptyIfLarge(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    if ((await file.stat()).size > mostBytes) await file.truncate(0)
  } finally {
    await file.close()
  }
}
