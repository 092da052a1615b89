import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The monitor takes note of a process's end a moment after libvirt has seen it. */
const patienceMs = 300
const lookMs = 20

/** The name of the signal that ended a process, such as SIGKILL, as the monitor has noted it; undefined for any other end. */
export async function endingSignal(privateDir: string, pid: number): Promise<string | undefined> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const text = await readFile(join(privateDir, 'signalled', String(pid)), 'utf8').catch(() => '')
    const number = Number.parseInt(text, 10)
    if (number > 0) return nameOf(number)
    if (Date.now() > deadline) return undefined
    await delay(lookMs)
  }
}

function nameOf(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number)
  return found?.[0] ?? `signal ${number}`
}
