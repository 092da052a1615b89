import { writeXml, type DomainDisk, type XmlElement } from '@kubevirt-ts/domain'
import { errorCode, isLibvirtError } from '@kubevirt-ts/libvirt'
import { chooseCaches } from '../storage/cache.ts'
import { diskChanges } from './disk-changes.ts'
import type { LiveChange } from './index.ts'

const both = { live: true, config: true }

/** Plugs disks in and out, and changes the media of CD-ROMs. */
export const plugDisks: LiveChange = async ({ domain, present, wanted, launcher }) => {
  const { hotplugDisks } = launcher.places.guest
  const { attach, detach, update } = diskChanges(present.devices.disk ?? [], wanted.devices.disk ?? [], hotplugDisks)
  for (const disk of detach) {
    await domain.detachDevice(deviceXml(disk), both).catch(ignoreUnderWay)
    launcher.log.info({ disk: disk.alias?.$name }, 'asked the guest to let a disk go')
  }
  for (const disk of attach) {
    await domain.attachDevice(deviceXml(await chooseCaches(disk)), both)
    launcher.log.info({ disk: disk.alias?.$name }, 'disk plugged in')
  }
  for (const disk of update) {
    await domain.updateDevice(deviceXml(disk), both)
    launcher.log.info({ disk: disk.alias?.$name }, 'medium changed')
  }
}

const deviceXml = (disk: DomainDisk): string => writeXml('disk', disk as unknown as XmlElement)

/** A guest that has not answered yet is asked once; it may also have let the disk go this moment. */
function ignoreUnderWay(error: unknown): void {
  if (isLibvirtError(error, errorCode.deviceMissing)) return
  if (error instanceof Error && /already in the process of unplug/.test(error.message)) return
  throw error
}
