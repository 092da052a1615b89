import { readFile } from 'node:fs/promises'
import type { Child } from '../lab/child.ts'
import { memoryOf } from '../processes.ts'

/** What a process has cost so far and holds now. */
export type Usage = {
  readonly cpuSeconds: number
  readonly rssMiB: number
  readonly pssMiB: number
  readonly anonymousMiB: number
  /** What went through its files and sockets, both ways. */
  readonly bytes: number
}

const ticksPerSecond = 100

export async function usageOf(pid: number): Promise<Usage> {
  const [stat, io, memory] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/io`, 'utf8'),
    memoryOf(pid),
  ])
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const value = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1] ?? 0)
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    bytes: value('rchar') + value('wchar'),
    ...memory,
  }
}

export type Usages = Readonly<Record<string, Usage>>

/** All programs of the lab at this moment. */
export async function usages(children: ReadonlyMap<string, Child>): Promise<Usages> {
  const all = [...children.values()].filter(({ process }) => process.exitCode === null && process.signalCode === null)
  return Object.fromEntries(await Promise.all(all.map(async ({ name, pid }) => [name, await usageOf(pid)] as const)))
}

/** CPU seconds of each program between two moments. */
export const cpuBetween = (before: Usages, after: Usages): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after).map(([name, { cpuSeconds }]) => [name, cpuSeconds - (before[name]?.cpuSeconds ?? 0)]),
  )
