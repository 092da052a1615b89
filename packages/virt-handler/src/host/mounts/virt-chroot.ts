import { VirtError } from '@kubevirt-ts/service'
import { ProgramFailed, run } from '../run.ts'

/** Where virt-handler's image keeps the helper that works in other mount namespaces. */
export const virtChrootProgram = '/usr/bin/virt-chroot'

/** A place on the node; `name` is `file` or `folder/file`. */
export interface MountTarget {
  readonly folder: string
  readonly name: string
}

/** What the helper can do; see mount/virt-chroot.c for what it refuses. */
export interface VirtChroot {
  /** Mounts a file of the process's image read-only; without a path the only file under /disk. Again is harmless. */
  mountImage(pid: number, path: string | undefined, target: MountTarget): Promise<void>
  /** Mounts a file or folder of a volume of the process's container, and gives it to the guest's user. */
  mountVolume(pid: number, path: string, target: MountTarget, user: number): Promise<void>
  /** Makes the block device of the process's container known at the target too. Answers `MAJOR:MINOR`. */
  makeDevice(pid: number, path: string, target: MountTarget, user: number): Promise<string>
  /**
   * Makes an empty image in a volume of the process's container where there is none, and gives it to the guest's user.
   * Throws `NoSpaceForImage`, or `ImageMissing` when `size` is 0 and none is there.
   */
  createImage(pid: number, path: string, size: ImageSize, user: number): Promise<void>
  /** Removes the mount and the file, folder or device there. Nothing there is fine. */
  umount(target: MountTarget): Promise<void>
  /** Gives a device node of the process's container to the guest's user. */
  chownDevice(pid: number, path: string, user: number): Promise<void>
  /** Gives a folder of the process's container to the guest's user, not what is in it. */
  chownFolder(pid: number, path: string, user: number): Promise<void>
  /** The command line that runs a program in a SELinux context, not in this process's own. */
  inContext(context: string, command: readonly string[]): string[]
  /** Writes numbers to files below /proc/sys, as `net/ipv4/ip_forward=1`, in the process's network. */
  writeSettings(pid: number, settings: readonly string[]): Promise<void>
}

/** How large an image shall be, and how small it may be where the volume has less space; bytes. */
export interface ImageSize {
  readonly size: bigint
  readonly least: bigint
}

const imageReasons: Readonly<Record<number, string>> = { 3: 'NoSpaceForImage', 4: 'ImageMissing' }

export function virtChroot(program = virtChrootProgram): VirtChroot {
  const on = ({ folder, name }: MountTarget): string[] => ['--target-dir-root', folder, '--target-name', name]
  const from = (pid: number, path?: string): string[] => [
    '--source-pid',
    String(pid),
    ...(path === undefined ? [] : ['--source-path', path]),
  ]
  const owner = (user: number): string[] => ['--uid', String(user), '--gid', String(user)]
  return {
    async mountImage(pid, path, target) {
      await run([program, 'mount-image', ...from(pid, path), ...on(target)])
    },
    async mountVolume(pid, path, target, user) {
      await run([program, 'mount-volume', ...from(pid, path), ...on(target), ...owner(user)])
    },
    async makeDevice(pid, path, target, user) {
      return (await run([program, 'make-device', ...from(pid, path), ...on(target), ...owner(user)])).trim()
    },
    async createImage(pid, path, { size, least }, user) {
      const sizes = ['--size', String(size), '--least', String(least)]
      try {
        await run([program, 'create-image', ...from(pid, path), ...sizes, ...owner(user)])
      } catch (error) {
        const reason = error instanceof ProgramFailed ? imageReasons[error.exitCode ?? 0] : undefined
        throw reason === undefined ? error : new VirtError(reason, (error as Error).message, { cause: error })
      }
    },
    async umount(target) {
      await run([program, 'umount', ...on(target)])
    },
    inContext: (context, command) => [program, 'run', '--context', context, '--', ...command],
    async writeSettings(pid, settings) {
      if (settings.length > 0) await run([program, 'sysctl', ...from(pid), ...settings])
    },
    async chownDevice(pid, path, user) {
      await run([program, 'chown-device', ...from(pid, path), ...owner(user)])
    },
    async chownFolder(pid, path, user) {
      await run([program, 'chown-folder', ...from(pid, path), ...owner(user)])
    },
  }
}
