import { check, libc, SystemCallError } from './libc.ts'

const attribute = 'security.selinux'
/** Longer than any label: the kernel's own limit is a page. */
const longest = 4_096

/** The SELinux label of an open file, also of one that is open with O_PATH only; undefined where it has none. */
export function fileLabel(fd: number): string | undefined {
  const value = Buffer.alloc(longest)
  try {
    const length = check('getxattr', libc().getxattr(open(fd), attribute, value, value.length), open(fd))
    return value.toString('utf8', 0, length).replace(/\0+$/, '')
  } catch (error) {
    if (error instanceof SystemCallError && ['ENODATA', 'EOPNOTSUPP', 'ENOTSUP'].includes(error.code)) return undefined
    throw error
  }
}

/** Labels an open file, whatever leads to it by now. Possible without SELinux, too, where nobody asks for the label. */
export function setFileLabel(fd: number, label: string): void {
  const value = Buffer.from(`${label}\0`)
  check('setxattr', libc().setxattr(open(fd), attribute, value, value.length, 0), open(fd))
}

/** The calls on descriptors refuse one that only names its file; this name leads to the same file. */
const open = (fd: number): string => `/proc/self/fd/${fd}`
