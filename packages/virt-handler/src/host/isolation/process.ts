import { readFileSync } from 'node:fs'

/** A process for its whole life: a pid alone is given to another process later. */
export interface ProcessIdentity {
  readonly pid: number
  /** In clock ticks since the host started. */
  readonly startTime: string
}

/** Undefined when there is no such process. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = statOf(pid)
  return stat === undefined || stat.state === 'Z' || stat.state === 'X' ? undefined : { pid, startTime: stat.startTime }
}

/** False once the process has ended, also while it waits to be reaped. */
export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startTime === process.startTime
}

/** The process that started it, or took it over; undefined when it has ended. */
export const parentOf = (pid: number): number | undefined => statOf(pid)?.parent

/** The second field is the program's name in parentheses, which may hold anything: what counts follows its end. */
function statOf(pid: number): { state: string; parent: number; startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', parent: Number(fields[1]), startTime: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

/** The host's CPUs that a process may run on, in ascending order. Throws when it has ended. */
export function allowedCpus(pid: number): number[] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}
