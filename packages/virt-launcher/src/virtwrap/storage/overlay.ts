import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { deviceName, type DomainDisk } from '@kubevirt-ts/domain'
import { reasonOf, VirtError } from '@kubevirt-ts/service'
import { runTool } from './run-tool.ts'

/** Creates the file that takes what the guest writes to an image it may not change. One that exists is kept. */
export async function createOverlay(disk: DomainDisk): Promise<void> {
  const { source, backingStore } = disk
  const path = source.$file!
  const backing = backingStore!.source?.$file ?? backingStore!.source?.$dev
  await createOnce(path, (scratch) =>
    runTool('qemu-img', [
      'create',
      '-q',
      '-f',
      'qcow2',
      '-b',
      backing!,
      '-F',
      backingStore!.format!.$type,
      scratch,
    ]).catch((cause: Error) => {
      if (reasonOf(cause) === 'NoSpace') throw cause
      throw new VirtError('ImageNotUsable', `the image of disk ${deviceName(disk)} cannot be used: ${cause.message}`, {
        cause,
      })
    }),
  )
}

/** Makes a file under another name first, so that a launcher that is killed half-way leaves none behind that counts. */
export async function createOnce(path: string, make: (scratch: string) => Promise<unknown>): Promise<void> {
  if (existsSync(path)) return
  const scratch = `${path}.new`
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  await rm(scratch, { force: true })
  await make(scratch)
  await chmod(scratch, 0o640)
  await rename(scratch, path)
}
