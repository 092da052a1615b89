import { run } from '../run.ts'

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
  /** Removes the mount and the file under it. Nothing there is fine. */
  umount(target: MountTarget): Promise<void>
  /** Gives a device node of the process's container to the guest's user. */
  chownDevice(pid: number, path: string, user: number): Promise<void>
  /** Writes numbers to files below /proc/sys, as `net/ipv4/ip_forward=1`, in the process's network. */
  writeSettings(pid: number, settings: readonly string[]): Promise<void>
}

export function virtChroot(program = virtChrootProgram): VirtChroot {
  const on = ({ folder, name }: MountTarget): string[] => ['--target-dir-root', folder, '--target-name', name]
  const from = (pid: number, path?: string): string[] => [
    '--source-pid',
    String(pid),
    ...(path === undefined ? [] : ['--source-path', path]),
  ]
  return {
    async mountImage(pid, path, target) {
      await run([program, 'mount-image', ...from(pid, path), ...on(target)])
    },
    async umount(target) {
      await run([program, 'umount', ...on(target)])
    },
    async writeSettings(pid, settings) {
      if (settings.length > 0) await run([program, 'sysctl', ...from(pid), ...settings])
    },
    async chownDevice(pid, path, user) {
      await run([program, 'chown-device', ...from(pid, path), '--uid', String(user), '--gid', String(user)])
    },
  }
}
