import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { emptyDirPath, hold } from '../host/isolation/pod-folder.ts'

/** A screen is at most so long, and has so many lines. */
const maxBytes = 8192
const maxLines = 24

/**
 * The end of what a guest's serial console has shown, from QEMU's log of it; empty where none is kept. It is what a
 * user would see who had looked all along, up to the prompt that waits.
 */
export function lastScreen(podsFolder: string, podUid: string, vmiUid: string): Buffer {
  const log = hold(emptyDirPath(podsFolder, podUid, 'private'), `${vmiUid}/virt-serial0-log`)
  if (log === undefined) return Buffer.alloc(0)
  try {
    return lastLines(tailOf(log.path))
  } finally {
    log.close()
  }
}

/** The launcher's user made the file: whatever is no plain file is not read, since it could keep us waiting. */
function tailOf(path: string): Buffer {
  // O_NONBLOCK: a pipe without a writer would hold the open.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) return Buffer.alloc(0)
    const length = Math.min(maxBytes, stat.size)
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(fd, buffer, 0, length, stat.size - length))
  } finally {
    closeSync(fd)
  }
}

function lastLines(bytes: Buffer): Buffer {
  let start = bytes.length
  for (let lines = 0; lines < maxLines && start > 1; lines++) start = bytes.lastIndexOf('\n', start - 2) + 1
  return start > 1 ? bytes.subarray(start) : bytes
}
