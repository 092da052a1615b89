import { check, libc } from './libc.ts'

const afUnix = 1
const sockStream = 1
const sockNonblock = 0o4000
const sockCloexec = 0o2000000
const solSocket = 1
const soPeercred = 17

export type PeerCredentials = {
  /** As seen from the caller's pid namespace; 0 for a process outside it. */
  readonly pid: number
  readonly uid: number
  readonly gid: number
}

/**
 * Who listens on a unix socket: the process that called listen(2), as the kernel remembers it. The peer sees one
 * connection that is closed at once.
 * @throws SystemCallError, with code ECONNREFUSED when nobody listens any more and EAGAIN when the queue is full
 */
export function peerCredentials(socketPath: string): PeerCredentials {
  const fd = check('socket', libc().socket(afUnix, sockStream | sockNonblock | sockCloexec, 0), socketPath)
  try {
    const address = unixAddress(socketPath)
    check('connect', libc().connect(fd, address, address.length), socketPath)
    return credentialsOf(fd, socketPath)
  } finally {
    libc().close(fd)
  }
}

/** struct ucred: three 32-bit numbers. */
function credentialsOf(fd: number, socketPath: string): PeerCredentials {
  const ucred = Buffer.alloc(12)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(ucred.length)
  check('getsockopt', libc().getsockopt(fd, solSocket, soPeercred, ucred, length), socketPath)
  return { pid: ucred.readInt32LE(0), uid: ucred.readUInt32LE(4), gid: ucred.readUInt32LE(8) }
}

/** struct sockaddr_un, as long as the path needs. */
function unixAddress(socketPath: string): Buffer {
  const path = Buffer.from(`${socketPath}\0`)
  if (path.length > 108)
    throw new Error(`socket path ${socketPath} is longer than 107 bytes; reach it through a shorter path`)
  const family = Buffer.alloc(2)
  family.writeUInt16LE(afUnix)
  return Buffer.concat([family, path])
}
