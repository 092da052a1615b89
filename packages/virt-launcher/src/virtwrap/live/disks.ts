import { writeXml, type DomainDisk, type XmlElement } from '@kubevirt-ts/domain'
import { type Domain, errorCode, isLibvirtError } from '@kubevirt-ts/libvirt'
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
    await changeMedium(domain, disk)
    launcher.log.info({ disk: disk.alias?.$name }, 'medium changed')
  }
}

const attempts = 10

/**
 * A guest that opens its drive between the steps of a change closes the tray; then the change fails, but libvirt takes the
 * new medium for the drive's. So it is taken out again before the next attempt, which would do nothing otherwise.
 */
export async function changeMedium(domain: Pick<Domain, 'updateDevice'>, disk: DomainDisk): Promise<void> {
  const empty: DomainDisk = { ...disk, $type: 'block', source: {} }
  for (let attempt = 1; ; attempt++) {
    try {
      if (attempt > 1) await domain.updateDevice(deviceXml(empty), both)
      return await domain.updateDevice(deviceXml(disk), both)
    } catch (error) {
      if (attempt === attempts || !isTrayClosed(error)) throw error
    }
  }
}

const isTrayClosed = (error: unknown): boolean =>
  error instanceof Error && /Tray of the device is not open/.test(error.message)

const deviceXml = (disk: DomainDisk): string => writeXml('disk', disk as unknown as XmlElement)

/** A guest that has not answered yet is asked once; it may also have let the disk go this moment. */
function ignoreUnderWay(error: unknown): void {
  if (isLibvirtError(error, errorCode.deviceMissing)) return
  if (error instanceof Error && /already in the process of unplug/.test(error.message)) return
  throw error
}
