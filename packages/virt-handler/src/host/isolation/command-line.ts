import { open } from 'node:fs/promises'

/** Several times what a launcher's has; what a hostile process puts behind it is not read. */
const maxBytes = 16_384

/**
 * The words that a process was started with, or has put in their place since: nothing in them can be trusted. None when
 * it is gone. Read in the thread pool, since the memory of another process may be slow to come.
 */
export async function commandLine(pid: number): Promise<string[]> {
  try {
    await using file = await open(`/proc/${pid}/cmdline`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes)
    return buffer.toString('utf8', 0, bytesRead).split('\0').filter(Boolean)
  } catch {
    return []
  }
}
