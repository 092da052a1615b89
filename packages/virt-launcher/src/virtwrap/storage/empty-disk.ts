import { parseQuantity, type Quantity } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service'
import { createOnce } from './overlay.ts'
import { runTool } from './run-tool.ts'

const mebibyte = 1024n * 1024n

/** Creates a disk without content, as large as asked for and rounded down to whole MiB. */
export async function createEmptyDisk(name: string, capacity: Quantity, path: string): Promise<void> {
  const bytes = (parseQuantity(capacity) / mebibyte) * mebibyte
  if (bytes <= 0n) throw new VirtError('EmptyDiskTooSmall', `emptyDisk ${name} needs at least 1Mi, not ${capacity}`)
  await createOnce(path, (scratch) => runTool('qemu-img', ['create', '-q', '-f', 'qcow2', scratch, String(bytes)]))
}
