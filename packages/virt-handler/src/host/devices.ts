import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { VirtChroot } from './mounts/virt-chroot.ts'

const guestDevices = ['/dev/kvm', '/dev/net/tun', '/dev/vhost-net']
/** Where devices of the host that are given to a guest have their nodes. */
const hostDeviceFolders = ['/dev/vfio', '/dev/bus/usb']

/** Gives the device nodes that the container was allotted to the user QEMU runs as. */
export async function chownGuestDevices(
  virtChroot: Pick<VirtChroot, 'chownDevice'>,
  pid: number,
  user: number,
  more: readonly string[] = [],
): Promise<void> {
  const root = `/proc/${pid}/root`
  const fixed = [...guestDevices, ...more].filter((path) => lstatSync(`${root}${path}`, { throwIfNoEntry: false }))
  const present = [...fixed, ...hostDeviceFolders.flatMap((folder) => nodesBelow(root, folder))]
  await Promise.all(present.map((path) => virtChroot.chownDevice(pid, path, user)))
}

/** Device nodes below a folder of the container; links are not followed. */
function nodesBelow(root: string, folder: string): string[] {
  const path = `${root}${folder}`
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const own = join(folder, entry.name)
    if (entry.isDirectory()) return nodesBelow(root, own)
    return entry.isCharacterDevice() ? [own] : []
  })
}
