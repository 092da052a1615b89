import { check, libc, SystemCallError } from './libc.ts'

const lockExclusive = 2
const lockNonblocking = 4

/**
 * Takes the exclusive flock(2) of an open file if nobody has it; it ends when the file is closed or the process dies.
 * @returns whether the caller holds it now
 */
export function flockExclusive(fd: number): boolean {
  try {
    check('flock', libc().flock(fd, lockExclusive | lockNonblocking), `descriptor ${fd}`)
    return true
  } catch (error) {
    if (error instanceof SystemCallError && error.code === 'EAGAIN') return false
    throw error
  }
}
