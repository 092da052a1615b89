import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** `mvbd`, by which a guest knows the disk. */
const signature = 0x6d766264
const headerBytes = 16
const diskBytes = 256 * 1024

/**
 * Writes metrics to the disk that a guest reads them from, as vhostmd lays it out. It is busy while its content changes: the
 * guest has it open, so it stays the same file.
 */
export async function writeMetricsDisk(path: string, xml: string): Promise<void> {
  const content = Buffer.from(xml)
  await mkdir(dirname(path), { recursive: true })
  // What is there stays the same file.
  const disk = await open(path, 'r+').catch(() => open(path, 'w+', 0o660))
  try {
    await disk.truncate(diskBytes)
    await disk.write(header(content, true), 0, headerBytes, 0)
    await disk.write(content, 0, content.length, headerBytes)
    await disk.write(header(content, false), 0, headerBytes, 0)
  } finally {
    await disk.close()
  }
}

function header(content: Buffer, busy: boolean): Buffer {
  const bytes = Buffer.alloc(headerBytes)
  bytes.writeUInt32BE(signature, 0)
  bytes.writeUInt32BE(busy ? 1 : 0, 4)
  bytes.writeUInt32BE(
    content.reduce((sum, byte) => (sum + byte) >>> 0, 0),
    8,
  )
  bytes.writeUInt32BE(content.length, 12)
  return bytes
}
