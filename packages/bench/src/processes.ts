import { readdir, readFile } from 'node:fs/promises'

/** A process of this machine; all nodes of a local cluster run here, so all their processes are seen. */
export type Process = { readonly pid: number; readonly parent: number; readonly name: string; readonly command: string }

export type Memory = { readonly rssMiB: number; readonly pssMiB: number; readonly anonymousMiB: number }

const ticksPerSecond = 100

export async function listProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map((pid) => readProcess(pid).catch(() => undefined)))
  return found.filter((process) => process !== undefined)
}

async function readProcess(pid: number): Promise<Process> {
  const [stat, command] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
  ])
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    parent: Number(afterName[1]),
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    command: command.replaceAll('\0', ' ').trim(),
  }
}

export async function memoryOf(pid: number): Promise<Memory> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? NaN) / 1024
  return { rssMiB: mib('Rss'), pssMiB: mib('Pss'), anonymousMiB: mib('Anonymous') }
}

/** When a process started, in milliseconds of the epoch, to a hundredth of a second. */
export async function startedAt(pid: number): Promise<number> {
  const [stat, uptime] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/uptime', 'utf8')])
  const now = Date.now()
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  return now - Number(uptime.split(' ')[0]) * 1000 + (ticks / ticksPerSecond) * 1000
}

/** A process and all its descendants. */
export function family(all: readonly Process[], root: number): Process[] {
  const found = all.filter(({ pid }) => pid === root)
  for (let index = 0; index < found.length; index++) {
    found.push(...all.filter(({ parent }) => parent === found[index]?.pid))
  }
  return found
}
