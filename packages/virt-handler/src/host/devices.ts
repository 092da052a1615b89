import { lstatSync } from 'node:fs'
import type { VirtChroot } from './mounts/virt-chroot.ts'

const guestDevices = ['/dev/kvm', '/dev/net/tun', '/dev/vhost-net']

/** Gives the device nodes that the container was allotted to the user QEMU runs as. */
export async function chownGuestDevices(
  virtChroot: Pick<VirtChroot, 'chownDevice'>,
  pid: number,
  user: number,
  more: readonly string[] = [],
): Promise<void> {
  const present = [...guestDevices, ...more].filter((path) =>
    lstatSync(`/proc/${pid}/root${path}`, { throwIfNoEntry: false }),
  )
  await Promise.all(present.map((path) => virtChroot.chownDevice(pid, path, user)))
}
