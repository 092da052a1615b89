import { chownFd, O_PATH, openBeneath, peerCredentials, type PeerCredentials } from '@kubevirt-ts/linux'
import { closeSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { labelLike } from '../selinux/labels.ts'

/** An emptyDir volume of a pod, as the kubelet lays it out. What is inside may have been made by the guest's owner. */
export function emptyDirPath(podsFolder: string, podUid: string, volume: string): string {
  return join(podsFolder, podUid, 'volumes', 'kubernetes.io~empty-dir', volume)
}

/** Something of a pod held by descriptor, so that it cannot be swapped for something else between check and use. */
export interface HeldPath {
  /** Leads to the held thing and nowhere else; short enough for a socket address. */
  readonly path: string
  readonly fd: number
  close(): void
}

/**
 * Holds a socket, file or folder below a folder that the kubelet made. No symbolic link is followed below it.
 * Undefined when it is not there (yet); throws when it cannot be reached safely.
 */
export function hold(folder: string, path = '.', flags = 0): HeldPath | undefined {
  if (!existsSync(folder)) return undefined
  try {
    return held(openBeneath(folder, path, O_PATH | flags))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** As `hold`, for a folder. */
export const holdFolder = (folder: string, path = '.'): HeldPath | undefined =>
  hold(folder, path, constants.O_DIRECTORY)

function held(fd: number): HeldPath {
  let open = true
  return {
    fd,
    path: `/proc/self/fd/${fd}`,
    close() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

/** Who listens on a held socket; undefined when nobody does any more. */
export function listenerOf(socket: HeldPath): PeerCredentials | undefined {
  try {
    const peer = peerCredentials(socket.path)
    return peer.pid > 0 ? peer : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return undefined
    throw error
  }
}

/** Makes the guest's user the owner of something in a held folder, for which it gets the label of that folder. */
export function giveTo(folder: HeldPath, path: string, user: number): void {
  const file = held(openBeneath(folder.fd, path, O_PATH))
  try {
    labelLike(folder.fd, file.fd)
    chownFd(file.fd, user, user)
  } finally {
    file.close()
  }
}
