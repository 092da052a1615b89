import { check, libc } from './libc.ts'

const rlimitMemlock = 8

/**
 * Lets a process, and those that it starts from now on, lock at least so much memory. Beyond the most that the process
 * may allow itself this needs CAP_SYS_RESOURCE.
 * @throws SystemCallError, with code ESRCH when the process has ended and EPERM without the capability
 */
export function raiseMemoryLockLimit(pid: number, bytes: bigint): void {
  // struct rlimit: what counts now, and the most it may be raised to. No limit is the largest number.
  const limits = Buffer.alloc(16)
  check('prlimit', libc().prlimit(pid, rlimitMemlock, null, limits), `process ${pid}`)
  const [now, most] = [limits.readBigUInt64LE(0), limits.readBigUInt64LE(8)]
  if (now >= bytes) return
  limits.writeBigUInt64LE(bytes, 0)
  limits.writeBigUInt64LE(most > bytes ? most : bytes, 8)
  check('prlimit', libc().prlimit(pid, rlimitMemlock, limits, null), `process ${pid}`)
}
