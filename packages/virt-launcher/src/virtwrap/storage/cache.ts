import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { deviceName, type DomainDisk } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service'

/**
 * The disk with its cache mode: without one it is `none` where the files can be opened past the page cache, else
 * `writethrough`. Block devices then use the kernel's asynchronous I/O.
 * @param opensDirectly whether a file can be opened with O_DIRECT
 */
export async function chooseCaches(disk: DomainDisk, opensDirectly = opensPastCache): Promise<DomainDisk> {
  const { driver } = disk
  const files = filesOf(disk)
  if (!driver || files.length === 0) return disk
  const direct = (await Promise.all(files.map(opensDirectly))).every(Boolean)
  if (driver.$cache === 'none' && !direct)
    throw new VirtError(
      'DirectIoUnsupported',
      `disk ${deviceName(disk)} wants cache none, but its storage has no direct I/O: remove the cache mode`,
    )
  const $cache = driver.$cache ?? (direct ? 'none' : 'writethrough')
  const native = driver.$io === undefined && $cache === 'none' && disk.$type === 'block'
  return { ...disk, driver: { ...driver, $cache, ...(native ? { $io: 'native' } : {}) } }
}

function filesOf({ source, backingStore }: DomainDisk): string[] {
  const sources = [source, backingStore?.source]
  return sources.flatMap((each) => each?.$file || each?.$dev || [])
}

async function opensPastCache(path: string): Promise<boolean> {
  try {
    await (await open(path, constants.O_RDONLY | constants.O_DIRECT)).close()
    return true
  } catch (error) {
    // Any other failure is QEMU's to tell, with its own words.
    return (error as NodeJS.ErrnoException).code !== 'EINVAL'
  }
}
