import { constants } from 'node:fs'
import { check, libc } from './libc.ts'

// Numbers of the kernel's interface (linux/openat2.h); openat2 has the same number on every architecture.
const openat2Number = 437
const resolveNoMagicLinks = 0x02
const resolveNoSymlinks = 0x04
const resolveInRoot = 0x10
const atEmptyPath = 0x1000
const oCloexec = 0o2000000

/** Opens only to name a file: enough for `/proc/self/fd/N`, `chownFd` and `openBeneath`. */
export const O_PATH = 0o10000000

/**
 * Opens `path` as if `root` were `/`. No element of the path may be a symbolic link, so a guest or user who can
 * write below `root` cannot lead the caller elsewhere, not even by swapping a folder during the call.
 *
 * @param root an open folder, or the path of one that the caller trusts
 * @param flags as for open(2); with O_PATH the file is named but neither read nor written
 * @param mode of a file that O_CREAT makes
 * @returns a file descriptor that the caller closes
 * @throws SystemCallError with code ELOOP for a link on the way, ENOENT for what is not there
 */
export function openBeneath(root: number | string, path: string, flags: number = constants.O_RDONLY, mode = 0): number {
  if (typeof root === 'number') return openat2(root, path, flags, mode)
  const folder = check(
    'open',
    libc().openat2(openat2Number, atCwd, root, how(O_PATH | constants.O_DIRECTORY, 0, 0), howSize),
    root,
  )
  try {
    return openat2(folder, path, flags, mode)
  } finally {
    libc().close(folder)
  }
}

/** The owner of an open file, also of one that is open with O_PATH only. */
export function chownFd(fd: number, uid: number, gid: number): void {
  check('fchownat', libc().fchownat(fd, '', uid, gid, atEmptyPath), `descriptor ${fd}`)
}

const atCwd = -100
const howSize = 24

function openat2(folder: number, path: string, flags: number, mode: number): number {
  const resolve = resolveInRoot | resolveNoSymlinks | resolveNoMagicLinks
  return check('openat2', libc().openat2(openat2Number, folder, path, how(flags, mode, resolve), howSize), path)
}

/** struct open_how: three 64-bit numbers. */
function how(flags: number, mode: number, resolve: number): Buffer {
  const bytes = Buffer.alloc(howSize)
  bytes.writeBigUInt64LE(BigInt(flags | oCloexec), 0)
  bytes.writeBigUInt64LE(BigInt(mode), 8)
  bytes.writeBigUInt64LE(BigInt(resolve), 16)
  return bytes
}
