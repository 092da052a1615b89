import koffi from 'koffi'

/** A failed system call: its name, errno as word and number, and what it was about. */
export class SystemCallError extends Error {
  readonly syscall: string
  readonly errno: number
  readonly code: string
  constructor(syscall: string, errno: number, subject: string) {
    const code = nameOf(errno)
    super(`${syscall} ${subject}: ${code}`)
    this.name = 'SystemCallError'
    this.syscall = syscall
    this.errno = errno
    this.code = code
  }
}

/**
 * The C library, loaded at first use.
 * Why native: Node has none of these calls, and a helper process per call would cost milliseconds and megabytes.
 * Safe because: every pointer that is passed belongs to a Buffer that lives until the call returns, and no call
 * keeps one. `syscall` is declared with the arguments that openat2 takes and used for nothing else.
 */
export function libc(): Libc {
  return (loaded ??= load())
}

type Libc = ReturnType<typeof load>
let loaded: Libc | undefined

function load() {
  const library = koffi.load('libc.so.6')
  return {
    openat2: library.func('long syscall(long number, int dirfd, const char *path, uint8_t *how, size_t size)'),
    socket: library.func('int socket(int domain, int type, int protocol)'),
    connect: library.func('int connect(int fd, uint8_t *address, uint32_t length)'),
    bind: library.func('int bind(int fd, uint8_t *address, uint32_t length)'),
    getsockopt: library.func('int getsockopt(int fd, int level, int name, uint8_t *value, uint8_t *length)'),
    setsockopt: library.func('int setsockopt(int fd, int level, int name, uint8_t *value, uint32_t length)'),
    flock: library.func('int flock(int fd, int operation)'),
    fchownat: library.func('int fchownat(int dirfd, const char *path, uint32_t uid, uint32_t gid, int flags)'),
    getxattr: library.func('long getxattr(const char *path, const char *name, uint8_t *value, size_t size)'),
    setxattr: library.func('int setxattr(const char *path, const char *name, uint8_t *value, size_t size, int flags)'),
    prlimit: library.func('int prlimit(int pid, int resource, uint8_t *limits, uint8_t *old)'),
    close: library.func('int close(int fd)'),
  }
}

/** Passes a call's result through, or throws with the errno that it left. */
export function check(syscall: string, result: number | bigint, subject: string): number {
  if (Number(result) < 0) throw new SystemCallError(syscall, koffi.errno(), subject)
  return Number(result)
}

function nameOf(errno: number): string {
  const name = Object.entries(koffi.os.errno).find(([, number]) => number === errno)?.[0]
  return name ?? `errno ${errno}`
}
