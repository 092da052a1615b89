import { readFileSync } from 'node:fs'

/**
 * A process that cannot be mistaken for a later one with the same number:
 * its start, in clock ticks since boot, and the boot it belongs to.
 */
export type ProcessIdentity = { readonly pid: number; readonly startTime: string; readonly boot: string }

/** State letter and start time from the text of /proc/PID/stat. The command in it may hold spaces and parentheses. */
export function parseStat(stat: string): {
  readonly state: string
  readonly parent: number
  readonly startTime: string
} {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: Number(fields[1]), startTime: fields[19] ?? '' }
}

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

/** Identity of a running process; undefined when there is none (a zombie is none). */
export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    const { state, startTime } = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return state === 'Z' || state === 'X' ? undefined : { pid, startTime, boot: bootId() }
  } catch {
    return undefined
  }
}

/** Whether exactly this process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid)
  return now !== undefined && now.startTime === identity.startTime && now.boot === identity.boot
}
