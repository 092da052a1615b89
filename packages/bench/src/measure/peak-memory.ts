import { readFile, writeFile } from 'node:fs/promises'
import { listProcesses } from '../processes.ts'

/** By how much processes grow from now on, at their largest. */
export class PeakMemory {
  readonly #before: ReadonlyMap<number, number>

  private constructor(before: ReadonlyMap<number, number>) {
    this.#before = before
  }

  /**
   * @param program what the command lines of the processes hold
   * @param podUids of the pods that they run in; all nodes of a local cluster run on this machine, and other clusters, too
   */
  static async of(program: string, podUids: readonly string[]): Promise<PeakMemory> {
    const all = await listProcesses()
    const before = new Map<number, number>()
    for (const { pid, command } of all) {
      if (!command.startsWith('/usr/bin/node') || !command.includes(program)) continue
      const group = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
      if (!podUids.some((uid) => group.includes(uid))) continue
      // The kernel forgets the largest size so far.
      await writeFile(`/proc/${pid}/clear_refs`, '5')
      before.set(pid, await statusMiB(pid, 'VmRSS'))
    }
    return new PeakMemory(before)
  }

  /** Of all of them together. */
  async growthMiB(): Promise<number> {
    let growth = 0
    for (const [pid, before] of this.#before) growth += Math.max(0, (await statusMiB(pid, 'VmHWM')) - before)
    return growth
  }
}

async function statusMiB(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? NaN) / 1024
}
