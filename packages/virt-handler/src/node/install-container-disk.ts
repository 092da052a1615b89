import { chmod, copyFile, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the image of virt-handler keeps the static program for containers of other images. */
export const containerDiskProgram = '/usr/share/kubevirt-ts/bin/container-disk'

/**
 * Puts the program into a folder of the host from which the kubelet mounts it into pods. Running copies keep the old
 * file: it is replaced by a rename. Answers false when this image has none.
 */
export async function installContainerDisk(folder: string, program = containerDiskProgram): Promise<boolean> {
  const fresh = join(folder, '.container-disk.new')
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  try {
    await copyFile(program, fresh)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  await chmod(fresh, 0o755)
  await rename(fresh, join(folder, 'container-disk'))
  return true
}
