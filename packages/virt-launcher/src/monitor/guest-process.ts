import { readFile } from 'node:fs/promises'

const tickMs = 1_000

/** The process of a guest, found by the file that libvirt keeps with its number. */
export type GuestProcess = {
  /** Whether QEMU runs now. */
  alive(): Promise<boolean>
  /** Resolves when QEMU, which runs, is gone. Notices it within a second. */
  gone(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
}

export function guestProcess(pidFile: string): GuestProcess {
  const pid = async (): Promise<number | undefined> => {
    const text = await readFile(pidFile, 'utf8').catch(() => '')
    const number = Number.parseInt(text, 10)
    return number > 1 ? number : undefined
  }
  const runs = async (number: number | undefined): Promise<boolean> => number !== undefined && !(await isDead(number))
  return {
    alive: async () => runs(await pid()),
    async gone() {
      // The file goes away with the guest, so the number is kept.
      const number = await pid()
      while (await runs(number)) await new Promise((resolve) => setTimeout(resolve, tickMs))
    },
    async kill(signal) {
      const number = await pid()
      if (number !== undefined && !(await isDead(number))) process.kill(number, signal)
    },
  }
}

/** A zombie is dead: only its parent has not looked yet. */
async function isDead(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
  return state === '' || state === 'Z' || state === 'X'
}
