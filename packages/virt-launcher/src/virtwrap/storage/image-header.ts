import { open } from 'node:fs/promises'
import { VirtError } from '@kubevirt-ts/service'

export type ImageInfo = {
  readonly format: 'raw' | 'qcow2'
  /** Bytes that the guest sees. */
  readonly virtualSize: bigint
  /** Bytes of the file. */
  readonly actualSize: bigint
}

const magic = 'QFI\xfb'
const externalDataFile = 4n

/**
 * Format and size of an image that its author made, read from its first bytes. A qcow2 that refers to another file,
 * as backing or for its data, is refused: it could name any file of the pod. Never for images that a guest writes.
 */
export async function readImageHeader(path: string): Promise<ImageInfo> {
  const file = await open(path)
  try {
    const header = Buffer.alloc(104)
    const { bytesRead } = await file.read(header, 0, header.length, 0)
    const actualSize = BigInt((await file.stat()).size)
    if (bytesRead < 72 || header.toString('latin1', 0, 4) !== magic)
      return { format: 'raw', virtualSize: actualSize, actualSize }
    refuseReferences(path, header)
    return { format: 'qcow2', virtualSize: header.readBigUInt64BE(24), actualSize }
  } finally {
    await file.close()
  }
}

function refuseReferences(path: string, header: Buffer): void {
  const version = header.readUInt32BE(4)
  const backing = header.readBigUInt64BE(8) !== 0n
  const external = version >= 3 && (header.readBigUInt64BE(72) & externalDataFile) !== 0n
  if (backing || external)
    throw new VirtError(
      'ImageRefersToFile',
      `image ${path} refers to another file, which is not allowed: flatten it with qemu-img convert`,
    )
}
