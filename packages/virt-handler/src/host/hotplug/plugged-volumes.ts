import { VirtError } from '@kubevirt-ts/service'
import { existsSync } from 'node:fs'
import { emptyDirPath, hold, listenerOf } from '../isolation/pod-folder.ts'
import type { VirtChroot } from '../mounts/virt-chroot.ts'
import type { VirtDevices } from '../mounts/virt-devices.ts'
import type { StateFolder } from '../state-folder.ts'

/** A volume that a pod beside the launcher holds. */
export interface PluggedVolume {
  readonly name: string
  /** The pod that holds it. */
  readonly attachmentPodUid: string
  /** `disk`: the image in a filesystem; `folder`: all of a filesystem; `block`: the device itself. */
  readonly kind: 'disk' | 'folder' | 'block'
  /** Bytes of an image that is made where there is none. */
  readonly size: { readonly size: bigint; readonly least: bigint }
}

/** What was put into a launcher's pod and must be taken out again. */
export interface PlugRecord {
  readonly uid: string
  readonly podUid: string
  readonly volumes: Readonly<Record<string, PlugEntry>>
}

interface PlugEntry {
  /** The name in the launcher's folder. */
  readonly target: string
  /** `MAJOR:MINOR` of a block device. */
  readonly device?: string
}

/** The launcher that volumes are for. */
export interface PlugGuest {
  readonly uid: string
  readonly podUid: string
  /** A process of the launcher's container. */
  readonly pid: number
}

/** The pod that holds a volume does not serve it yet, or no longer. */
export class VolumeNotReady extends Error {
  override readonly name = 'VolumeNotReady'
}

export interface PluggedVolumes {
  /** Names of the volumes that are in the launcher's pod. */
  names(uid: string): Promise<readonly string[]>
  /** Throws `VolumeNotReady` while its pod does not serve it. Again is harmless. */
  plug(guest: PlugGuest, volume: PluggedVolume): Promise<void>
  /** Takes one out, also when its pod is gone. */
  unplug(guest: PlugGuest, name: string): Promise<void>
  /** Takes all out; for a guest that has ended. */
  unplugAll(uid: string): Promise<void>
}

export interface PluggedVolumesOptions {
  readonly records: StateFolder<PlugRecord>
  readonly virtChroot: VirtChroot
  readonly virtDevices: VirtDevices
  /** The kubelet's pods folder as this process sees it. */
  readonly podsFolder: string
  /** The same folder in the node's mount namespace. */
  readonly nodePodsFolder: string
}

/** The user QEMU runs as. */
const guestUser = 107
const sharedFolder = 'hotplug-disks'
const attachmentSocket = 'hp.sock'
/** The launcher's name for the shared folder, without the link that /var/run is in its image. */
const launcherFolder = '/run/kubevirt/hotplug-disks'

export function pluggedVolumes(options: PluggedVolumesOptions): PluggedVolumes {
  const { records, virtChroot, virtDevices, podsFolder, nodePodsFolder } = options
  const place = (podUid: string, name: string) => ({ folder: emptyDirPath(nodePodsFolder, podUid, sharedFolder), name })
  const note = async (guest: PlugGuest, name: string, entry: PlugEntry | undefined): Promise<void> => {
    const { [name]: _before, ...others } = (await records.read(guest.uid))?.volumes ?? {}
    const volumes = entry === undefined ? others : { ...others, [name]: entry }
    await records.write(guest.uid, { uid: guest.uid, podUid: guest.podUid, volumes })
  }
  const putIn = async (guest: PlugGuest, volume: PluggedVolume): Promise<PlugEntry> => {
    const pid = serverOf(podsFolder, volume)
    const { name, kind } = volume
    if (kind === 'block') {
      const device = await virtChroot.makeDevice(pid, `/path/${name}`, place(guest.podUid, name), guestUser)
      await virtDevices.allow(guest.pid, device, launcherFolder)
      return { target: name, device }
    }
    if (kind === 'disk') await virtChroot.createImage(pid, `/${name}/disk.img`, volume.size, guestUser)
    const target = targetOf(volume)
    const source = kind === 'disk' ? `/${name}/disk.img` : `/${name}`
    await virtChroot.mountVolume(pid, source, place(guest.podUid, target), guestUser)
    return { target }
  }
  return {
    names: async (uid) => Object.keys((await records.read(uid))?.volumes ?? {}),
    async plug(guest, volume) {
      if ((await records.read(guest.uid))?.volumes[volume.name] !== undefined) return
      try {
        const entry = await putIn(guest, volume)
        await note(guest, volume.name, entry)
      } catch (error) {
        if (error instanceof VolumeNotReady) throw error
        // Half of it may be there already.
        await virtChroot.umount(place(guest.podUid, targetOf(volume)))
        const reason = `volume ${volume.name} cannot be plugged in: ${(error as Error).message}`
        throw new VirtError('HotplugFailed', reason, { cause: error })
      }
    },
    async unplug(guest, name) {
      const entry = (await records.read(guest.uid))?.volumes[name]
      if (entry === undefined) return
      await virtChroot.umount(place(guest.podUid, entry.target))
      if (entry.device !== undefined) await virtDevices.deny(guest.pid, entry.device, launcherFolder)
      await note(guest, name, undefined)
    },
    async unplugAll(uid) {
      const record = await records.read(uid)
      if (record === undefined) return
      if (existsSync(emptyDirPath(podsFolder, record.podUid, sharedFolder)))
        for (const { target } of Object.values(record.volumes)) await virtChroot.umount(place(record.podUid, target))
      await records.remove(uid)
    },
  }
}

const targetOf = ({ kind, name }: PluggedVolume): string => (kind === 'disk' ? `${name}.img` : name)

/** A process of the container that holds the volume. */
function serverOf(podsFolder: string, { attachmentPodUid, name }: PluggedVolume): number {
  const socket = hold(emptyDirPath(podsFolder, attachmentPodUid, sharedFolder), attachmentSocket)
  try {
    const server = socket && listenerOf(socket)
    if (server === undefined) throw new VolumeNotReady(`no pod serves volume ${name} yet`)
    return server.pid
  } finally {
    socket?.close()
  }
}
