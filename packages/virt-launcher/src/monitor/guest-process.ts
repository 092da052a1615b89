import { readFile } from 'node:fs/promises'

const tickMs = 1_000
const hurriedTickMs = 20
const pidFileMs = 5_000

/** The process of a guest, found by the file that libvirt keeps with its number. */
export type GuestProcess = {
  /**
   * Resolves when QEMU, which was started, is gone. Notices it within a second, and at once after `hint`, which
   * resolves when somebody else saw the guest's end.
   */
  gone(hint: Promise<unknown>): Promise<void>
}

export function guestProcess(pidFile: string): GuestProcess {
  return {
    async gone(hint) {
      // The file goes away with the guest, so the number is kept.
      const pid = await readPid(pidFile)
      let tick = tickMs
      const hinted = hint.then(() => {
        tick = hurriedTickMs
      })
      while (pid !== undefined && !(await isDead(pid)))
        await Promise.race([sleep(tick), ...(tick === tickMs ? [hinted] : [])])
    },
  }
}

/** The number in the file, which libvirt writes before it lets the guest run. Undefined when it is gone already. */
async function readPid(pidFile: string): Promise<number | undefined> {
  const deadline = Date.now() + pidFileMs
  for (;;) {
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
    if (pid > 1) return pid
    if (Date.now() > deadline) return undefined
    await sleep(hurriedTickMs)
  }
}

/** A zombie is dead: only its parent has not looked yet. */
async function isDead(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
  return state === '' || state === 'Z' || state === 'X'
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
