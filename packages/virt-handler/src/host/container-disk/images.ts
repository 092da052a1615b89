import { VirtError } from '@kubevirt-ts/service'
import { existsSync } from 'node:fs'
import { emptyDirPath, hold, listenerOf } from '../isolation/pod-folder.ts'
import type { VirtChroot } from '../mounts/virt-chroot.ts'
import type { StateFolder } from '../state-folder.ts'

/** A file of a container's image that the guest's launcher shall see. */
export interface ImageFile {
  /** The container's socket in the shared volume, made when the container is up. */
  readonly socket: string
  /** Inside the image; the only file under /disk when absent. */
  readonly path?: string
  /** In the shared volume, as `file` or `folder/file`. */
  readonly target: string
}

/** What was mounted for a guest and must be unmounted for it. */
export interface MountRecord {
  readonly uid: string
  readonly podUid: string
  readonly targets: readonly string[]
}

/** A container of the pod does not serve its image yet. */
export class ImageNotReady extends Error {
  override readonly name = 'ImageNotReady'
}

export const containerDisksVolume = 'container-disks'

export interface ImageMounts {
  /** Mounts what is not mounted yet. Throws `ImageNotReady` while a container is not up. */
  mount(guest: { uid: string; podUid: string }, files: readonly ImageFile[]): Promise<void>
  /** Unmounts all that was mounted for the guest, also by an earlier run of this process. */
  unmount(uid: string): Promise<void>
}

export interface ImageMountsOptions {
  readonly records: StateFolder<MountRecord>
  readonly virtChroot: VirtChroot
  /** The kubelet's pods folder as this process sees it. */
  readonly podsFolder: string
  /** The same folder in the node's mount namespace. */
  readonly nodePodsFolder: string
}

export function imageMounts({ records, virtChroot, podsFolder, nodePodsFolder }: ImageMountsOptions): ImageMounts {
  const done = new Set<string>()
  const mountOne = async (pid: number, file: ImageFile, folder: string): Promise<void> => {
    try {
      await virtChroot.mountImage(pid, file.path, { folder, name: file.target })
    } catch (error) {
      const reason = `the image behind ${file.target} cannot be used: ${(error as Error).message}`
      throw new VirtError('ImageNotUsable', reason, { cause: error })
    }
  }
  return {
    async mount({ uid, podUid }, files) {
      if (files.length === 0 || done.has(uid)) return
      const folder = emptyDirPath(podsFolder, podUid, containerDisksVolume)
      const servers = files.map((file) => ({ file, pid: serverOf(folder, file) }))
      // Written first: after a crash in between, unmounting what is not mounted is harmless.
      await records.write(uid, { uid, podUid, targets: files.map((file) => file.target) })
      const nodeFolder = emptyDirPath(nodePodsFolder, podUid, containerDisksVolume)
      for (const { file, pid } of servers) await mountOne(pid, file, nodeFolder)
      done.add(uid)
    },
    async unmount(uid) {
      done.delete(uid)
      const record = await records.read(uid)
      if (record === undefined) return
      const folder = emptyDirPath(nodePodsFolder, record.podUid, containerDisksVolume)
      if (existsSync(emptyDirPath(podsFolder, record.podUid, containerDisksVolume)))
        await Promise.all(record.targets.map((name) => virtChroot.umount({ folder, name })))
      await records.remove(uid)
    },
  }
}

function serverOf(folder: string, file: ImageFile): number {
  const socket = hold(folder, file.socket)
  try {
    const server = socket && listenerOf(socket)
    if (server === undefined) throw new ImageNotReady(`no container serves ${file.socket} yet`)
    return server.pid
  } finally {
    socket?.close()
  }
}
